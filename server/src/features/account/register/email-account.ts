import { mailAddress, role, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { Settings } from '#settings.ts';

/** How addresses are looked up and codes for them are kept. */
export const lowered = (email: string): string => email.trim().toLowerCase();

/**
 * Refuses what is no address, an empty one first of all, and domains that the operator does not want. Throws
 * `mail.address`, `register.email_domain`.
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
  /** Of mails; empty: the site's. */
  language: string;
}

/** The account that an address belongs to and that may sign in; undefined for none, and always for no address. */
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

/** Whether an address is that of any account, one that was disabled included. */
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
