import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { post } from '#quota/ledger.ts';
import type { OrderRow } from './order-rows.ts';

/**
 * Lets an order's dispute hold the credits that a refused refund has returned: the dispute opened while the refund had
 * them. What the balance does not cover is the operator's loss.
 */
export async function holdReturned(
  trx: Transaction<Tables>,
  order: OrderRow,
  refund: { refund_no: string; quota: number; actor_id: number },
  now: number,
): Promise<void> {
  const dispute = await trx
    .selectFrom('disputes')
    .where('order_id', '=', order.id)
    .where('status', 'in', ['open', 'lost'])
    .select(['id', 'dispute_no'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (!dispute) return;
  const user = await trx.selectFrom('users').where('id', '=', order.user_id).select('quota').executeTakeFirstOrThrow();
  const held = Math.min(user.quota, refund.quota);
  await trx
    .updateTable('disputes')
    .set((eb) => ({
      held_quota: eb('held_quota', '+', held),
      loss_quota: eb('loss_quota', '+', refund.quota - held),
    }))
    .where('id', '=', dispute.id)
    .execute();
  if (held === 0) return;
  await post(trx, {
    user_id: order.user_id,
    kind: 'dispute',
    credits: -held,
    reference: `dispute-more:${order.gateway_id}:${dispute.dispute_no}:${refund.refund_no}`,
    actor_id: refund.actor_id,
    remark: order.trade_no,
    created_time: now,
  });
}
