import { userStatus } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { holdAccounts } from '#quota/ledger.ts';
import type { Settings } from '#settings.ts';
import { giveCredits } from './give-credits.ts';

export interface RewardTerms {
  settings: Pick<Settings, 'QuotaForInviter' | 'Language'>;
  now: number;
}

/** A reward that was paid. */
export interface PaidReward {
  inviterId: number;
  credits: number;
}

/**
 * Locks an account and its inviter. Call it before any other write that may end in a reward, to keep the lock order.
 */
export async function holdWithInviter(trx: Transaction<Tables>, newcomer: number): Promise<void> {
  const account = await trx.selectFrom('users').where('id', '=', newcomer).select('inviter_id').executeTakeFirst();
  const inviter = account?.inviter_id;
  await holdAccounts(trx, [newcomer, ...(typeof inviter === 'number' ? [inviter] : [])]);
}

/**
 * Rewards the inviter at most once per invited account; does nothing without an inviter who may sign in. Called once
 * the account is verified as a person's: see `docs/decisions/0014-invitation-rewards.md`. The caller has locked the
 * account's row in this transaction, so of two concurrent calls the second sees the first payment. Returns the reward
 * that this call paid, if any.
 */
export async function payInviter(
  trx: Transaction<Tables>,
  newcomer: number,
  paying: RewardTerms,
): Promise<PaidReward | undefined> {
  const inviter = await trx
    .selectFrom('users as newcomer')
    .innerJoin('users as inviter', 'inviter.id', 'newcomer.inviter_id')
    .where('newcomer.id', '=', newcomer)
    .where('inviter.status', '=', userStatus.enabled)
    .where('inviter.deleted_time', 'is', null)
    .select(['inviter.id', 'inviter.username', 'inviter.language'])
    .executeTakeFirst();
  if (!inviter) return undefined;
  const reference = `inviter:${newcomer}`;
  const paid = await trx.selectFrom('ledger').where('reference', '=', reference).select('id').executeTakeFirst();
  const { QuotaForInviter: credits, Language: ofSite } = paying.settings;
  if (paid || credits === 0) return undefined;
  // The inviter must not learn who the new user is.
  const gift = {
    to: inviter,
    kind: 'reward',
    credits,
    reference,
    newcomer,
    ip: '',
    language: mailLanguage(ofSite, inviter.language),
    now: paying.now,
  } as const;
  await giveCredits(trx, gift);
  return { inviterId: inviter.id, credits };
}

/**
 * Rewards the inviter after the account's first top-up; the reference identifies it. Returns the reward that this call
 * paid, if any.
 */
export async function payInviterAtTopup(
  trx: Transaction<Tables>,
  { newcomer, reference }: { newcomer: number; reference: string },
  paying: RewardTerms,
): Promise<PaidReward | undefined> {
  const earlier = await trx
    .selectFrom('ledger')
    .where('user_id', '=', newcomer)
    .where('kind', 'in', ['topup', 'redemption'])
    .where('reference', '<>', reference)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return earlier ? undefined : payInviter(trx, newcomer, paying);
}
