import { role, userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Settings } from '#settings.ts';
import { type Gift, giveCredits } from './give-credits.ts';
import { newShape } from './look-alike.ts';
import { payInviter } from './pay-inviter.ts';

/** What somebody brings along who makes an account of their own. */
export interface NewAccount {
  username: string;
  /** Empty = the user name. */
  display_name: string;
  /** Proved, or empty. */
  email: string;
  avatar_url: string;
  /** Empty = signs in elsewhere. */
  password_hash: string;
  /** The code of whoever invited; one that is nobody's is passed over. */
  aff: string;
  /** Of mails to it; empty or left out: the site's. */
  language?: string;
}

/**
 * Makes the account of a plain user who comes by themselves, with the gift for new ones and the reward of who is
 * invited; whoever invited is paid now where an address is proved, else later. Whether anybody may come is asked before. Returns its id; a name or address that is taken is a clash of
 * `users_username…` or `users_email`. Throws `user.name_alike`.
 */
export async function createAccount(
  trx: Transaction<Tables>,
  { aff, ...account }: NewAccount,
  { settings, now, ip = '' }: { settings: Settings; now: number; ip?: string },
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
      created_time: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const self = { id, username: account.username };
  const give = (gift: Omit<Gift, 'newcomer' | 'now' | 'language'>) =>
    giveCredits(trx, { ...gift, newcomer: id, language: settings.Language, now });
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
