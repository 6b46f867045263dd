import { tokenScope } from '@relay-hub/contract/limit-scope';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { post } from './ledger.ts';
import type { CountedPeriod } from './limit-use.ts';

/** A charge that is returned in full. */
export interface ReturnedCharge {
  userId: number;
  tokenId: number;
  credits: number;
  /** The part that the token's own quota covered. */
  fromToken: number;
  reference: string;
  remark: string;
  now: number;
}

/**
 * Returns a charge to the balance and to the token that it was made with. Throws if the reference was used before, so a
 * charge cannot be returned twice.
 */
export async function refundCharge(trx: Transaction<Tables>, returned: ReturnedCharge): Promise<void> {
  const { userId, tokenId, credits, fromToken, reference, remark, now } = returned;
  await post(trx, {
    user_id: userId,
    kind: 'refund',
    credits,
    reference,
    actor_id: userId,
    remark,
    created_time: now,
  });
  await trx
    .updateTable('tokens')
    .set((eb) => ({
      used_quota: eb('used_quota', '-', credits),
      remain_quota: eb('remain_quota', '+', fromToken),
    }))
    .where('id', '=', tokenId)
    .execute();
}

/** Takes a returned charge out of the budgets that it counted in, where their periods are still running. */
export async function uncountRefund(
  trx: Transaction<Tables>,
  { tokenId, credits }: Pick<ReturnedCharge, 'tokenId' | 'credits'>,
  counted: readonly CountedPeriod[],
): Promise<void> {
  for (const [name, starts, scope = tokenScope(tokenId)] of counted)
    if (name.startsWith('credits:'))
      await trx
        .updateTable('limit_counters')
        .set((eb) => ({ used: eb('used', '-', credits) }))
        .where('scope', '=', scope)
        .where('name', '=', name)
        .where('starts', '=', starts)
        .execute();
}
