import { isPaid } from '@relay-hub/contract';
import { contextOf, gatewayRow, type GatewayRow } from '#features/payment/gateway-rows.ts';
import { GatewayError, type PaymentState } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { masked } from '#secrets.ts';
import { applyPayment } from './apply-payment.ts';
import { addEvent } from './order-events.ts';
import { type OrderDeps, type OrderRow, orderRow, refOf } from './order-rows.ts';

/** Bank debits settle within days. */
const LONGEST_WAIT_S = 30 * 86_400;

/** Why the gateway is asked. Routine queries without news leave no trace in the timeline. */
export type QueryReason = 'routine' | 'payer' | 'operator';

/**
 * Asks the gateway about an order and applies the result: credits a payment, and closes an expired order at the gateway
 * and here. Failures of the gateway are noted in the timeline and not thrown.
 */
export async function queryOrder(deps: OrderDeps, id: number, reason: QueryReason): Promise<void> {
  const order = await orderRow(deps.db, id);
  if (isPaid(order.status)) return;
  const gateway = await gatewayRow(deps.db, order.gateway_id);
  const state = await ask(deps, gateway, order);
  if (!state) return;
  if (state.state === 'paid') return applyQuery(deps, gateway, state);
  const { now } = deps;
  if (reason === 'operator' || state.state === 'ended') {
    const facts = { state: state.state, detail: state.detail };
    await addEvent(deps.db, { ...subject(order), kind: 'queried', now: now(), facts, same: state.state });
  }
  if (state.state === 'processing') return waitLonger(deps, order);
  if (order.status !== 'pending') return;
  if (state.state === 'ended') await closeHere(deps, order, 'closed', state.detail);
  else if (order.expires_at <= now()) await endOrder(deps, gateway, order, 'closed');
}

/** Keeps an order open whose money is on its way, and queries it a few times a day. */
async function waitLonger({ db, now }: OrderDeps, { id, created_at }: OrderRow): Promise<void> {
  if (now() - created_at > LONGEST_WAIT_S) return;
  await db
    .updateTable('orders')
    .set({ query_at: now() + 6 * 3600 })
    .where('id', '=', id)
    .execute();
}

/**
 * Cancels an unpaid order for its owner. If the payment was made meanwhile, it is credited instead. A gateway that does
 * not respond cannot prevent it: a later payment is still credited.
 */
export async function cancelOrder(deps: OrderDeps, order: OrderRow): Promise<void> {
  if (order.status !== 'pending') return;
  const gateway = await gatewayRow(deps.db, order.gateway_id);
  const state = await ask(deps, gateway, order);
  if (state?.state === 'paid') return applyQuery(deps, gateway, state);
  await endOrder(deps, gateway, order, 'cancelled');
}

async function endOrder(
  deps: OrderDeps,
  gateway: GatewayRow,
  order: OrderRow,
  kind: 'closed' | 'cancelled',
): Promise<void> {
  let result = 'open';
  try {
    result = await adapterOf(gateway.type).close(contextOf(gateway, deps), refOf(order));
  } catch (error) {
    await noteFailure(deps, gateway, order, error);
  }
  if (result === 'paid') {
    const state = await ask(deps, gateway, order);
    if (state?.state === 'paid') return applyQuery(deps, gateway, state);
  }
  await closeHere(deps, order, kind, result);
}

/** Closes an order in the database. Its payment is still credited if it comes later. */
export async function closeHere(
  { db, now }: OrderDeps,
  order: OrderRow,
  kind: 'closed' | 'cancelled',
  detail: string,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('orders')
    .set({ status: 'closed', updated_at: now() })
    .where('id', '=', order.id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) await addEvent(db, { ...subject(order), kind, now: now(), facts: { detail } });
}

async function applyQuery(
  deps: OrderDeps,
  gateway: GatewayRow,
  report: Extract<PaymentState, { state: 'paid' }>,
): Promise<void> {
  await applyPayment(deps, gateway, report, { by: 'query', evidence: JSON.stringify(report) });
}

/** The gateway's state of an order; undefined if it cannot be learned now. */
async function ask(deps: OrderDeps, gateway: GatewayRow, order: OrderRow): Promise<PaymentState | undefined> {
  try {
    return await adapterOf(gateway.type).query(contextOf(gateway, deps), refOf(order));
  } catch (error) {
    await noteFailure(deps, gateway, order, error);
    return undefined;
  }
}

async function noteFailure(deps: OrderDeps, gateway: GatewayRow, order: OrderRow, error: unknown): Promise<void> {
  if (!(error instanceof GatewayError)) throw error;
  const reason = masked(error.message, ...Object.values(contextOf(gateway, deps).config));
  await addEvent(deps.db, {
    ...subject(order),
    kind: 'query_failed',
    now: deps.now(),
    facts: { reason },
    same: reason,
  });
}

const subject = (order: OrderRow) => ({ orderId: order.id, gatewayId: order.gateway_id });
