import { minorText } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { GatewayRow } from '#features/payment/gateway-rows.ts';
import type { GatewayNotice } from '#payments/gateway.ts';
import { settleRefund } from './end-refund.ts';
import { addEvent, signed } from './order-events.ts';
import type { OrderDeps } from './order-rows.ts';
import { findPaidOrder } from './find-paid-order.ts';

type RefundNotice = Extract<GatewayNotice, { kind: 'refund' }>;

/**
 * Applies a refund that the gateway reports. One that was started at the gateway changes no balance: the operator is
 * told, and records it. Returns whether the notification is settled.
 */
export async function applyRefundNotice(
  deps: OrderDeps,
  gateway: GatewayRow,
  notice: RefundNotice,
  evidence: string,
): Promise<boolean> {
  const { db, now } = deps;
  const order = await findPaidOrder(db, gateway, notice);
  const facts = { refund_no: notice.refundNo, state: notice.detail || notice.state, amount: minorText(notice.minor) };
  const event = { gatewayId: gateway.id, now: now(), facts, evidence, same: JSON.stringify(notice) };
  if (!order) {
    const checks = [signed, { check: 'order' as const, ok: false }];
    const stray = { ...event, facts: { ...facts, gateway_no: notice.gatewayNo } };
    await addEvent(db, { ...stray, orderId: 0, kind: 'notice_refused', checks });
    return true;
  }
  const refund = await db
    .selectFrom('refunds')
    .where('order_id', '=', order.id)
    .where((eb) =>
      eb.or([
        eb('refund_no', '=', notice.refundNo),
        ...(notice.gatewayRefundNo === '' ? [] : [eb('gateway_refund_no', '=', notice.gatewayRefundNo)]),
      ]),
    )
    .select(['id', 'minor', 'status'])
    .executeTakeFirst();
  // Some gateways report the sum of all refunds of the payment.
  const expected = refund && (notice.cumulative ? await refundedUpTo(db, order.id, refund.id) : refund.minor);
  const agrees = refund && (notice.state === 'refused' || expected === notice.minor);
  if (agrees) {
    const { state } = notice;
    if (state === 'success' || state === 'refused') {
      await settleRefund(deps, refund.id, { ...notice, state });
      // The gateway contradicts a result that was applied before.
      if (refund.status !== 'processing' && refund.status !== state) await point(deps, order.id, event);
    }
    return true;
  }
  if (notice.state === 'success') await point(deps, order.id, event);
  return true;
}

/** Money of an order's refunds up to one of them, without refused ones. */
async function refundedUpTo(db: Db, orderId: number, refundId: number): Promise<number> {
  const { minor } = await db
    .selectFrom('refunds')
    .where('order_id', '=', orderId)
    .where('id', '<=', refundId)
    .where('status', '<>', 'refused')
    .select(({ fn }) => fn.sum<number>('minor').as('minor'))
    .executeTakeFirstOrThrow();
  return minor;
}

async function point(
  { db }: OrderDeps,
  orderId: number,
  event: Omit<Parameters<typeof addEvent>[1], 'kind' | 'orderId'>,
): Promise<void> {
  await addEvent(db, { ...event, orderId, kind: 'refund_elsewhere' });
  await db.updateTable('orders').set({ attention: 'refund_elsewhere' }).where('id', '=', orderId).execute();
}
