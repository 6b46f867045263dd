import { orderApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { completeOrder } from './complete-order.ts';
import { settleRefund } from './end-refund.ts';
import { orderCsvColumns, ordersForCsv } from './order-csv.ts';
import { addEvent } from './order-events.ts';
import * as orders from './order-queries.ts';
import { orderRow } from './order-rows.ts';
import { queryOrder } from './query-order.ts';
import { receiptOf } from './receipt.ts';
import { refundOrder } from './refund-order.ts';
import { queryRefund, refundRow } from './send-refund.ts';

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
