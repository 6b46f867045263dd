import { userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { holdAccounts } from '#quota/ledger.ts';
import type { Settings } from '#settings.ts';
import { giveCredits } from './give-credits.ts';

export interface Paying {
  settings: Pick<Settings, 'QuotaForInviter' | 'Language'>;
  now: number;
}

/** Holds an account and whoever invited it: to be asked before anything else is written that may end in a reward. */
export async function holdWithInviter(trx: Transaction<Tables>, newcomer: number): Promise<void> {
  const account = await trx.selectFrom('users').where('id', '=', newcomer).select('inviter_id').executeTakeFirst();
  const inviter = account?.inviter_id;
  await holdAccounts(trx, [newcomer, ...(typeof inviter === 'number' ? [inviter] : [])]);
}

/**
 * Rewards whoever invited an account, at most once in its life; nothing where nobody did, or where they may not sign in
 * any more. Asked for when the account is shown to be somebody's of their own: see
 * `docs/decisions/0014-invitation-rewards.md`. The caller has written the account's row in this transaction, so that
 * of two at once the later one finds what the earlier one paid.
 */
export async function payInviter(trx: Transaction<Tables>, newcomer: number, paying: Paying): Promise<void> {
  const inviter = await trx
    .selectFrom('users as newcomer')
    .innerJoin('users as inviter', 'inviter.id', 'newcomer.inviter_id')
    .where('newcomer.id', '=', newcomer)
    .where('inviter.status', '=', userStatus.enabled)
    .where('inviter.deleted_time', 'is', null)
    .select(['inviter.id', 'inviter.username'])
    .executeTakeFirst();
  if (!inviter) return;
  const reference = `inviter:${newcomer}`;
  const paid = await trx.selectFrom('ledger').where('reference', '=', reference).select('id').executeTakeFirst();
  if (paid) return;
  const { QuotaForInviter: credits, Language: language } = paying.settings;
  // Where the newcomer comes from is nothing that the inviter may know.
  const gift = {
    to: inviter,
    kind: 'reward',
    credits,
    reference,
    newcomer,
    ip: '',
    language,
    now: paying.now,
  } as const;
  await giveCredits(trx, gift);
}

/** The same for an account that has just paid something in, under the reference: only the first time counts. */
export async function payInviterAtTopup(
  trx: Transaction<Tables>,
  { newcomer, reference }: { newcomer: number; reference: string },
  paying: Paying,
): Promise<void> {
  const earlier = await trx
    .selectFrom('ledger')
    .where('user_id', '=', newcomer)
    .where('kind', 'in', ['topup', 'redemption'])
    .where('reference', '<>', reference)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  if (!earlier) await payInviter(trx, newcomer, paying);
}
