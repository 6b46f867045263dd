import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { contextOf, gatewayRow } from '#features/payment/gateway-rows.ts';
import { GatewayError, type RefundReport, type RefundRequest } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { masked } from '#secrets.ts';
import { settleRefund } from './end-refund.ts';
import { addEvent } from './order-events.ts';
import { type OrderDeps, type OrderRow, orderRow, refOf } from './order-rows.ts';

type RefundRow = Selectable<Tables['refunds']>;

/** Throws `record.not_found`. */
export async function refundRow(db: Db, id: number): Promise<RefundRow> {
  const row = await db.selectFrom('refunds').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** Sends a refund to the gateway and applies the result. Failures of the gateway leave it in progress. */
export async function sendRefund(deps: OrderDeps, refundId: number): Promise<void> {
  await askGateway(deps, refundId, 'send');
}

/** Asks the gateway for the result of a refund. If it knows none, the refund is sent again with the same number. */
export async function queryRefund(deps: OrderDeps, refundId: number): Promise<void> {
  await askGateway(deps, refundId, 'query');
}

async function askGateway(deps: OrderDeps, refundId: number, first: 'send' | 'query'): Promise<void> {
  const refund = await refundRow(deps.db, refundId);
  if (refund.status !== 'processing' || refund.by_hand) return;
  const order = await orderRow(deps.db, refund.order_id);
  const gateway = await gatewayRow(deps.db, order.gateway_id);
  const { refund: send, queryRefund: query } = adapterOf(gateway.type);
  if (!send) return;
  const context = contextOf(gateway, deps);
  const payment = refOf(order);
  const request: RefundRequest = { refundNo: refund.refund_no, minor: refund.minor, reason: refund.reason };
  try {
    let report: RefundReport =
      first === 'query' && query
        ? await query(context, payment, { ...request, gatewayRefundNo: refund.gateway_refund_no })
        : await send(context, payment, request);
    if (report.state === 'missing') report = await send(context, payment, request);
    await applyReport(deps, refund, order, report);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const detail = masked(error.message, ...Object.values(context.config));
    const state = error.outcome === 'refused' && first === 'send' ? 'refused' : 'processing';
    await applyReport(deps, refund, order, { state, gatewayRefundNo: '', detail });
  }
}

async function applyReport(
  deps: OrderDeps,
  refund: RefundRow,
  order: OrderRow,
  { state, gatewayRefundNo, detail }: RefundReport,
): Promise<void> {
  if (state === 'success' || state === 'refused')
    return settleRefund(deps, refund.id, { state, gatewayRefundNo, detail });
  const { db, now } = deps;
  const { numUpdatedRows } = await db
    .updateTable('refunds')
    .set({ updated_at: now(), ...(gatewayRefundNo !== '' && { gateway_refund_no: gatewayRefundNo }) })
    .where('id', '=', refund.id)
    .where('status', '=', 'processing')
    .executeTakeFirstOrThrow();
  // A notification has ended it meanwhile.
  if (numUpdatedRows === 0n) return;
  await db
    .updateTable('orders')
    .set({ attention: 'refund_unknown' })
    .where('id', '=', order.id)
    .where('attention', '=', 'none')
    .execute();
  const facts = { refund_no: refund.refund_no, detail };
  const event = { orderId: order.id, gatewayId: order.gateway_id, now: now(), facts, same: detail };
  await addEvent(db, { ...event, kind: 'refund_unknown' });
}
