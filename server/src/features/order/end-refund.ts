import { logType } from '@relay-hub/contract';
import type { Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { noteInLog } from '#features/log/log-note.ts';
import type { RefundReport } from '#payments/gateway.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import { post } from '#quota/ledger.ts';
import { addEvent as tellWays } from '#notifications/add-event.ts';
import { serverTexts } from '#i18n/texts.ts';
import { addEvent } from './order-events.ts';
import { nextInSeries } from './order-numbers.ts';
import { lockOrder, type OrderDeps, type OrderRow, refundedStatus } from './order-rows.ts';
import { takeRewardBack } from './take-reward-back.ts';

type EndedRefund = Pick<RefundReport, 'gatewayRefundNo' | 'detail'> & { state: 'success' | 'refused' };

/** Ends a refund in a transaction with the right locks; see `endRefund`. */
export async function settleRefund(deps: OrderDeps, refundId: number, report: EndedRefund): Promise<void> {
  const { db } = deps;
  const { user_id } = await db
    .selectFrom('refunds')
    .innerJoin('orders', 'orders.id', 'refunds.order_id')
    .where('refunds.id', '=', refundId)
    .select('orders.user_id')
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (trx) => {
    await holdWithInviter(trx, user_id);
    await endRefund(trx, deps, refundId, report);
  });
}

/**
 * Ends a refund that is in progress, once: counts it on the order, or returns the credits if the gateway refused. Does
 * nothing if it has ended. The caller has locked the payer's account and the inviter's.
 */
export async function endRefund(
  trx: Transaction<Tables>,
  { now: clock }: Pick<OrderDeps, 'now'>,
  refundId: number,
  { state, gatewayRefundNo, detail }: EndedRefund,
): Promise<void> {
  const now = clock();
  const refund = await trx
    .updateTable('refunds')
    .set({ status: state, gateway_refund_no: gatewayRefundNo, updated_at: now, query_at: 0 })
    .where('id', '=', refundId)
    .where('status', '=', 'processing') // the guard: only one of racing reports ends it
    .returningAll()
    .executeTakeFirst();
  if (!refund) return;
  const order = await lockOrder(trx, refund.order_id);
  const event = { orderId: order.id, gatewayId: order.gateway_id, now };
  const facts = { refund_no: refund.refund_no, gateway_refund_no: gatewayRefundNo, detail };
  if (state === 'refused') {
    await returnCredits(trx, order, refund, now);
    await holdReturned(trx, order, refund, now);
    await update(trx, order, { attention: order.attention === 'refund_unknown' ? 'none' : order.attention }, now);
    await addEvent(trx, { ...event, kind: 'refund_refused', facts });
    return;
  }
  const credit_note_no = await nextInSeries(trx, 'credit_note', now);
  const refunded = {
    refunded_quota: order.refunded_quota + refund.quota,
    refunded_minor: order.refunded_minor + refund.minor,
  };
  const after: OrderRow = { ...order, ...refunded };
  const isDisputed = order.status === 'disputed' || order.status === 'charged_back';
  const status = isDisputed ? order.status : refundedStatus(after);
  await update(
    trx,
    order,
    { ...refunded, status, attention: order.attention === 'refund_unknown' ? 'none' : order.attention },
    now,
  );
  await addEvent(trx, { ...event, kind: 'refund_done', facts: { ...facts, credit_note_no } });
  await tellWays(trx, {
    type: 'order.refunded',
    object: `order:${order.id}`,
    userId: order.user_id,
    data: { trade_no: order.trade_no, minor: refund.minor, currency: order.order_currency, credits: refund.quota },
    now,
  });
  const reward =
    status === 'refunded'
      ? await takeRewardBack(trx, order, { now, actorId: refund.actor_id, orderStatus: status })
      : {};
  await trx
    .updateTable('refunds')
    .set({ credit_note_no, ...reward })
    .where('id', '=', refundId)
    .execute();
}

async function returnCredits(
  trx: Transaction<Tables>,
  order: OrderRow,
  refund: { refund_no: string; taken_quota: number; actor_id: number; reason: string },
  now: number,
): Promise<void> {
  if (refund.taken_quota === 0) return;
  const reference = `refund-returned:${refund.refund_no}`;
  await post(trx, {
    user_id: order.user_id,
    kind: 'refund',
    credits: refund.taken_quota,
    reference,
    actor_id: refund.actor_id,
    remark: refund.reason,
    created_time: now,
  });
  const user = await trx
    .selectFrom('users')
    .where('id', '=', order.user_id)
    .select(['id', 'username'])
    .executeTakeFirstOrThrow();
  const content = serverTexts(order.language).entries.returned;
  const note = { user, type: logType.topup, quota: refund.taken_quota, content, reference, sourceIp: '', now };
  await noteInLog(trx, note);
}

async function update(
  trx: Transaction<Tables>,
  { id }: OrderRow,
  values: Partial<Pick<OrderRow, 'refunded_quota' | 'refunded_minor' | 'status' | 'attention'>>,
  now: number,
): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ ...values, updated_at: now })
    .where('id', '=', id)
    .execute();
}

/**
 * Lets an order's dispute hold the credits that a refused refund has returned: the dispute opened while the refund had
 * them. The part that the balance does not cover is the operator's loss.
 */
async function holdReturned(
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
