import { mailAddress, role, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { Settings } from '#settings.ts';

/** Addresses are stored and looked up in lower case. */
export const lowered = (email: string): string => email.trim().toLowerCase();

/**
 * Rejects invalid or empty addresses and domains outside the operator's list. Throws `mail.address`,
 * `register.email_domain`.
 */
export function ensureWelcome(settings: Settings, email: string): void {
  ensure(mailAddress.safeParse(email).success, 'mail.address', { field: 'email' });
  if (!settings.EmailDomainRestrictionEnabled) return;
  const domain = lowered(email).split('@').at(-1) ?? '';
  const allowed = settings.EmailDomainWhitelist.some((entry) => entry.toLowerCase() === domain);
  ensure(allowed, 'register.email_domain', { field: 'email' });
}

export interface MailedAccount {
  id: number;
  username: string;
  email: string;
  /** Language of mails; empty for the site's default. */
  language: string;
}

/** The enabled account with this address; undefined if there is none or the address is empty. */
export async function findByEmail(db: Db, email: string): Promise<MailedAccount | undefined> {
  if (email.trim() === '') return undefined;
  return db
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .where('email', '<>', '')
    .where(sql<boolean>`lower(email) = ${lowered(email)}`)
    .where('status', '=', userStatus.enabled)
    .where('role', '>=', role.user)
    .select(['id', 'username', 'email', 'language'])
    .executeTakeFirst();
}

/** Whether any account has this address, disabled ones included. */
export async function isTaken(db: Db, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .where('email', '<>', '')
    .where(sql<boolean>`lower(email) = ${lowered(email)}`)
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}
