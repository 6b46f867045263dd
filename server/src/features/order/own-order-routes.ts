import { isPaid, ownOrderApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { publicGateways } from '#features/payment/gateway-queries.ts';
import { clientIp } from '#http/client-ip.ts';
import { serve } from '#http/serve.ts';
import { createOrder } from './create-order.ts';
import { ownOrderDetail, ownOrders } from './order-queries.ts';
import { type OrderRow, ownOrderRow } from './order-rows.ts';
import { cancelOrder, queryOrder } from './query-order.ts';
import { receiptOf } from './receipt.ts';

/** The gateway is asked on behalf of a payer at most this often. */
const ASKED_EVERY_S = 5;
/** The same while the page waits for the payment. */
const POLLED_EVERY_S = 10;

/** Routes for payers: their own orders. */
export function ownOrderRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, config, now } = deps;
  const detail = async (userId: number, tradeNo: string) =>
    ownOrderDetail(db, await ownOrderRow(db, userId, tradeNo), now());
  /** Reads an order that its owner polls; while it is unpaid, the gateway is asked in the background. */
  const polled = async (userId: number, tradeNo: string): Promise<OrderRow> => {
    const order = await ownOrderRow(db, userId, tradeNo);
    if (order.status === 'pending') void askInBackground(deps, order);
    return order;
  };

  serve(app, deps, ownOrderApi.gateways, () => publicGateways(db));
  serve(app, deps, ownOrderApi.create, ({ body }, { viewer, request, language }) => {
    const ip = clientIp(request.raw, config.trustedProxies);
    return createOrder(deps, { id: viewer.id, ip, language, device: deviceOf(request) }, body);
  });
  serve(app, deps, ownOrderApi.status, async ({ query }, { viewer }) => {
    const order = await polled(viewer.id, query.trade_no);
    ensure(isPaid(order.status), 'order.unpaid');
  });
  serve(app, deps, ownOrderApi.list, ({ query }, { viewer }) => ownOrders(db, viewer.id, query));
  serve(app, deps, ownOrderApi.get, async ({ params }, { viewer }) =>
    ownOrderDetail(db, await polled(viewer.id, params.trade_no), now()),
  );
  serve(app, deps, ownOrderApi.check, async ({ params }, { viewer }) => {
    const order = await ownOrderRow(db, viewer.id, params.trade_no);
    if (await claimQuery(deps, order)) await queryOrder(deps, order.id, 'payer');
    return detail(viewer.id, params.trade_no);
  });
  serve(app, deps, ownOrderApi.cancel, async ({ params }, { viewer }) => {
    const order = await ownOrderRow(db, viewer.id, params.trade_no);
    if (await claimQuery(deps, order, 0)) await cancelOrder(deps, order);
    return detail(viewer.id, params.trade_no);
  });
  serve(app, deps, ownOrderApi.receipt, async ({ params }, { viewer }) =>
    receiptOf(deps, await ownOrderRow(db, viewer.id, params.trade_no)),
  );
}

/** Asks the gateway about an order less and less often, the longer the payment takes. */
async function askInBackground(deps: Deps, order: OrderRow): Promise<void> {
  const everyS = Math.max(POLLED_EVERY_S, Math.floor((deps.now() - order.created_at) / 10));
  try {
    if (await claimQuery(deps, order, everyS)) await queryOrder(deps, order.id, 'routine');
  } catch (error) {
    deps.log.warn({ err: error, order: order.id }, 'an order could not be queried');
  }
}

/** Whether the gateway may be asked now, on any node. */
async function claimQuery({ db, now }: Deps, { id }: OrderRow, everyS = ASKED_EVERY_S): Promise<boolean> {
  const time = now();
  const { numUpdatedRows } = await db
    .updateTable('orders')
    .set({ queried_at: time })
    .where('id', '=', id)
    .where('queried_at', '<=', time - everyS)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

const deviceOf = ({ headers }: FastifyRequest): 'desktop' | 'mobile' =>
  /Mobi|Android|iPhone/i.test(headers['user-agent'] ?? '') ? 'mobile' : 'desktop';
