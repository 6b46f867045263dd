import { type Language, logType, role, userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { post } from '#quota/ledger.ts';
import type { Settings } from '#settings.ts';

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
 * Makes the account of a plain user who comes by themselves, with the gift for new ones and the rewards of an
 * invitation. Whether anybody may come is asked before. Returns its id; a name or address that is taken is a clash of
 * `users_username…` or `users_email`.
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
  if (inviter) {
    await give({ to: self, kind: 'reward', credits: settings.QuotaForInvitee, reference: `invited:${id}`, ip });
    // Where the newcomer comes from is nothing that the inviter may know.
    const reference = `inviter:${id}`;
    await give({ to: inviter, kind: 'reward', credits: settings.QuotaForInviter, reference, ip: '' });
  }
  return id;
}

interface Gift {
  to: { id: number; username: string };
  kind: 'gift' | 'reward';
  credits: number;
  reference: string;
  newcomer: number;
  ip: string;
  language: Language;
  now: number;
}

const inWords: Record<Gift['kind'], Record<Language, string>> = {
  gift: { zh_CN: '新用户赠送', zh_HK: '新用戶贈送', en_US: 'Gift for a new account', ja_JP: '新規登録特典' },
  reward: { zh_CN: '邀请奖励', zh_HK: '邀請獎勵', en_US: 'Invitation reward', ja_JP: '招待特典' },
};

/** Posts what is given at registration, and says so in the log of whoever gets it. */
async function giveCredits(
  trx: Transaction<Tables>,
  { to: user, kind, credits, reference, newcomer, ip, language, now }: Gift,
): Promise<void> {
  if (credits === 0) return;
  await post(trx, { user_id: user.id, kind, credits, reference, actor_id: newcomer, remark: '', created_time: now });
  const note = { type: logType.system, quota: credits, content: inWords[kind][language] };
  await noteInLog(trx, { ...note, user, reference, sourceIp: ip, now });
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
