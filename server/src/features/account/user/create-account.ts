import { role, userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { networkOf } from '#http/client-network.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import type { Settings } from '#settings.ts';
import { addEvent } from '#notifications/add-event.ts';
import { type Gift, giveCredits } from './give-credits.ts';
import { newShape } from './look-alike.ts';
import { payInviter } from './pay-inviter.ts';

/** A self-registered account. */
export interface NewAccount {
  username: string;
  /** Empty for the user name. */
  display_name: string;
  /** Verified, or empty. */
  email: string;
  avatar_url: string;
  /** Empty for accounts without a password. */
  password_hash: string;
  /** The inviter's referral code; unknown codes are ignored. */
  aff: string;
  /** Language of mails and notes to the account; empty or absent for the site's default. */
  language?: string;
}

/**
 * Inserts a plain user with the credits for new users and for being invited, and returns its id. The inviter is paid
 * now if the address is verified, else later. The caller checks that registration is open. A taken name or address is a
 * unique clash of `users_username…` or `users_email`. Throws `user.name_alike`.
 */
export async function createAccount(
  trx: Transaction<Tables>,
  { aff, ...account }: NewAccount,
  { settings, now, ip }: { settings: Settings; now: number; ip: string },
): Promise<number> {
  const inviter = await findInviter(trx, aff);
  const { id } = await trx
    .insertInto('users')
    .values({
      ...account,
      username_shape: await newShape(trx, account.username),
      display_name: account.display_name || account.username,
      role: role.user,
      status: userStatus.enabled,
      group: 'default',
      inviter_id: inviter?.id ?? null,
      register_ip: networkOf(ip),
      created_time: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const self = { id, username: account.username };
  await addEvent(trx, { type: 'user.created', object: `user:${id}`, userId: id, data: self, now });
  const give = (gift: Omit<Gift, 'newcomer' | 'now' | 'language'>) =>
    giveCredits(trx, { ...gift, newcomer: id, language: mailLanguage(settings.Language, account.language), now });
  await give({ to: self, kind: 'gift', credits: settings.QuotaForNewUser, reference: `gift:${id}`, ip });
  if (inviter)
    await give({ to: self, kind: 'reward', credits: settings.QuotaForInvitee, reference: `invited:${id}`, ip });
  if (account.email !== '') await payInviter(trx, id, { settings, now });
  return id;
}

async function findInviter(
  trx: Transaction<Tables>,
  aff: string,
): Promise<{ id: number; username: string } | undefined> {
  if (aff === '') return undefined;
  return trx
    .selectFrom('users')
    .where(sql<boolean>`lower(aff_code) = lower(${aff})`)
    .where('status', '=', userStatus.enabled)
    .where('deleted_time', 'is', null)
    .select(['id', 'username'])
    .executeTakeFirst();
}
