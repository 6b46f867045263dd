import { isPaid, type Language, minorText, type Order, orderApi, type OrderFilters } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { csv, type CsvColumn, timeWriter } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { holdWithInviter } from '#features/account/user/pay-inviter.ts';
import type { Db } from '#db/tables.ts';
import { serverTexts } from '#i18n/texts.ts';
import { settleRefund } from './end-refund.ts';
import { addEvent } from './order-events.ts';
import * as orders from './order-queries.ts';
import { filteredOrders, ordersOf } from './order-queries.ts';
import { lockOrder, type OrderDeps, orderRow } from './order-rows.ts';
import { queryOrder } from './query-order.ts';
import { receiptOf } from './receipt.ts';
import { refundOrder } from './refund-order.ts';
import { queryRefund, refundRow } from './send-refund.ts';
import { credit } from './apply-payment.ts';

/** The columns of an export; sums are decimal text, so that no spreadsheet rounds them. */
function orderCsvColumns(language: Language, timeZone: string): CsvColumn<Order>[] {
  const { headings, statuses } = serverTexts(language).csv.order;
  const time = timeWriter(timeZone);
  const money = (minor: number) => Number(minorText(minor));
  return [
    { heading: `${headings.time} (${timeZone || 'UTC'})`, cell: (order) => time(order.created_at) },
    { heading: headings.tradeNo, cell: (order) => order.trade_no },
    { heading: headings.gatewayNo, cell: (order) => order.gateway_no },
    { heading: headings.gateway, cell: (order) => order.gateway_name },
    { heading: headings.user, cell: (order) => order.username },
    { heading: headings.amount, cell: (order) => order.amount },
    { heading: headings.discount, cell: (order) => money(order.discount_minor) },
    { heading: headings.fee, cell: (order) => money(order.fee_minor) },
    { heading: headings.rate, cell: (order) => order.rate },
    { heading: headings.paid, cell: (order) => money(order.order_minor) },
    { heading: headings.currency, cell: (order) => order.order_currency },
    { heading: headings.credits, cell: (order) => order.quota },
    { heading: headings.status, cell: (order) => statuses[order.status] },
    { heading: headings.paidAt, cell: (order) => time(order.paid_at) },
    { heading: headings.refunded, cell: (order) => money(order.refunded_minor) },
    { heading: headings.refundedCredits, cell: (order) => order.refunded_quota },
    { heading: headings.receipt, cell: (order) => order.receipt_no },
    { heading: headings.completedBy, cell: (order) => order.completed_by },
  ];
}

const ROWS_A_READ = 500;

/** Matching orders, newest first, read on demand. */
async function* ordersForCsv(db: Db, filters: OrderFilters): AsyncGenerator<Order, void> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await filteredOrders(db, filters)
      .where('id', '<', below)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(ROWS_A_READ)
      .execute();
    yield* await ordersOf(db, rows);
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_A_READ) return;
    below = last.id;
  }
}

/** Routes for administrators: orders, refunds and notifications. */
export function orderRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;

  serve(app, deps, orderApi.list, ({ query }) => orders.listOrders(db, query));
  serve(app, deps, orderApi.totals, ({ query }) => orders.orderTotals(db, query));
  serve(app, deps, orderApi.get, ({ params }) => orders.orderDetail(deps, params.id));
  serve(app, deps, orderApi.evidence, ({ params }) => orders.eventEvidence(db, params.id));
  serve(app, deps, orderApi.strays, ({ query }) => orders.strayNotices(db, query));
  serve(app, deps, orderApi.receipt, async ({ params }) => receiptOf(deps, await orderRow(db, params.id)));

  serveFile(app, deps, orderApi.download, async ({ query }, { language }) => ({
    name: 'orders.csv',
    pieces: csv(orderCsvColumns(language, query.time_zone), ordersForCsv(db, query)),
  }));

  serve(app, deps, orderApi.ask, async ({ params }) => {
    await queryOrder(deps, params.id, 'operator');
    return orders.orderDetail(deps, params.id);
  });

  serve(app, deps, orderApi.complete, async ({ params, body }, { viewer }) => {
    await completeOrder(deps, viewer, params.id, body.remark);
    return orders.orderDetail(deps, params.id);
  });

  serve(app, deps, orderApi.refund, async ({ params, body }, { viewer }) => {
    await refundOrder(deps, viewer, params.id, body);
    return orders.orderDetail(deps, params.id);
  });

  serve(app, deps, orderApi.askRefund, async ({ params }) => {
    await queryRefund(deps, params.id);
    return orders.orderDetail(deps, (await refundRow(db, params.id)).order_id);
  });

  serve(app, deps, orderApi.settleRefund, async ({ params, body: { outcome, remark } }, { viewer }) => {
    const refund = await refundRow(db, params.id);
    ensure(refund.status === 'processing', 'order.refund_ended');
    const detail = `${viewer.username}: ${remark}`;
    await settleRefund(deps, params.id, { state: outcome, gatewayRefundNo: refund.gateway_refund_no, detail });
    return orders.orderDetail(deps, refund.order_id);
  });

  serve(app, deps, orderApi.dismiss, async ({ params, body }, { viewer }) => {
    const order = await orderRow(db, params.id);
    await db.updateTable('orders').set({ attention: 'none' }).where('id', '=', params.id).execute();
    const event = { orderId: order.id, gatewayId: order.gateway_id, now: now() };
    const facts = { attention: order.attention, actor: viewer.username, remark: body.remark };
    if (order.attention !== 'none') await addEvent(db, { ...event, kind: 'dismissed', facts });
    return orders.orderDetail(deps, params.id);
  });
}

/** Credits an unpaid order on a super administrator's word; it stays marked. Throws `order.settled`. */
async function completeOrder(
  deps: OrderDeps,
  actor: { id: number; username: string },
  id: number,
  remark: string,
): Promise<void> {
  const { db, live, now: clock } = deps;
  const { user_id } = await orderRow(db, id);
  await db.transaction().execute(async (trx) => {
    await holdWithInviter(trx, user_id);
    const order = await lockOrder(trx, id);
    ensure(!isPaid(order.status), 'order.settled');
    const now = clock();
    const event = { orderId: id, gatewayId: order.gateway_id, now };
    await addEvent(trx, { ...event, kind: 'completed_by_hand', facts: { actor: actor.username, remark } });
    await credit(trx, deps, order, { gatewayNo: '', now, completed: { by: actor.id, remark } });
  });
  await live.usersChanged(user_id);
}
