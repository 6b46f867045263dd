import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { post } from '#quota/ledger.ts';
import { addEvent } from './order-events.ts';
import type { OrderRow } from './order-rows.ts';

/**
 * Takes back the inviter's reward and share of an order, once and never below zero. Returns what was taken and what
 * the inviter's balance did not cover. The caller has locked both accounts.
 */
export async function takeRewardBack(
  trx: Transaction<Tables>,
  order: OrderRow,
  { now, actorId, orderStatus }: { now: number; actorId: number; orderStatus: string },
): Promise<{ reward_taken: number; reward_short: number }> {
  const none = { reward_taken: 0, reward_short: 0 };
  const owed = order.reward_quota + order.share_paid;
  if (order.inviter_id === null || owed === 0) return none;
  const reference = `reward-back:${order.trade_no}`;
  const before = await trx.selectFrom('ledger').where('reference', '=', reference).select('id').executeTakeFirst();
  if (before) return none;
  const inviter = await trx
    .selectFrom('users')
    .where('id', '=', order.inviter_id)
    .select('quota')
    .executeTakeFirstOrThrow();
  const reward_taken = Math.min(inviter.quota, owed);
  const reward_short = owed - reward_taken;
  if (reward_taken > 0)
    await post(trx, {
      user_id: order.inviter_id,
      kind: 'reward',
      credits: -reward_taken,
      reference,
      actor_id: actorId,
      // The inviter must not learn who was invited.
      remark: '',
      created_time: now,
    });
  await addEvent(trx, {
    orderId: order.id,
    gatewayId: order.gateway_id,
    kind: 'reward_taken_back',
    now,
    facts: { quota: reward_taken, short: reward_short, user: order.inviter_id, status: orderStatus },
  });
  return { reward_taken, reward_short };
}
