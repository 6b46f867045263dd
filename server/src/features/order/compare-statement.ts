import type { Difference, Reconciliation } from '@relay-hub/contract';
import { isPaid } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { GatewayRow } from '#features/payment/gateway-rows.ts';
import type { StatementRow } from '#payments/gateway.ts';
import type { OrderRow } from './order-rows.ts';

interface Period {
  from: number;
  to: number;
}

interface Statement {
  rows: StatementRow[];
  unreadable: Reconciliation['unreadable'];
}

/** The statement's rows about one payment. */
interface Payment {
  tradeNo: string;
  gatewayNo: string;
  minor: number;
  refunded: number;
  state: string;
  at: number;
}

const IDS_A_QUERY = 500;

/**
 * Compares the orders of a gateway that were paid in a period with its statement. Payments are matched by our number,
 * else by the gateway's.
 */
export async function compareStatement(
  db: Db,
  gateway: GatewayRow,
  period: Period,
  { rows, unreadable }: Statement,
): Promise<Reconciliation> {
  const payments = paymentsOf(rows);
  const here = await ordersFor(db, gateway, period, payments);
  const byTradeNo = new Map(here.map((order) => [order.trade_no, order]));
  const byGatewayNo = new Map(here.map((order) => [order.gateway_no, order]));
  const seen = new Set<number>();
  const differences: Difference[] = [];
  let matched = 0;
  for (const payment of payments) {
    const order = byTradeNo.get(payment.tradeNo) ?? byGatewayNo.get(payment.gatewayNo || '-');
    if (order) seen.add(order.id);
    const kind = differenceOf(order, payment);
    if (kind === undefined) matched++;
    else differences.push(difference(kind, order, payment));
  }
  const paid = here.filter((order) => isPaid(order.status));
  for (const order of paid)
    if (!seen.has(order.id) && order.paid_at >= period.from && order.paid_at <= period.to)
      differences.push(difference('missing_there', order, undefined));
  return {
    gateway_id: gateway.id,
    currency: gateway.currency,
    ...period,
    rows: rows.length,
    unreadable: unreadable.slice(0, 100),
    matched,
    here_minor: sum(paid.filter(({ id, paid_at }) => seen.has(id) || (paid_at >= period.from && paid_at <= period.to))),
    there_minor: payments.reduce((total, { minor }) => total + minor, 0),
    differences,
  };
}

const sum = (orders: readonly OrderRow[]): number => orders.reduce((total, { order_minor }) => total + order_minor, 0);

/** Joins the payment and the refunds of each order number. */
function paymentsOf(rows: readonly StatementRow[]): Payment[] {
  const payments = new Map<string, Payment>();
  for (const { kind, tradeNo, gatewayNo, minor, state, at } of rows) {
    const key = tradeNo || gatewayNo;
    const payment = payments.get(key) ?? { tradeNo, gatewayNo, minor: 0, refunded: 0, state, at };
    if (kind === 'refund') payment.refunded += minor;
    else Object.assign(payment, { minor: payment.minor + minor, state, at, gatewayNo: gatewayNo || payment.gatewayNo });
    payments.set(key, payment);
  }
  // A statement may contain only the refund of an earlier payment.
  return [...payments.values()];
}

/** Orders of the period, and older or later ones that the statement names. */
async function ordersFor(
  db: Db,
  gateway: GatewayRow,
  { from, to }: Period,
  payments: readonly Payment[],
): Promise<OrderRow[]> {
  const of = db.selectFrom('orders').where('gateway_id', '=', gateway.id).selectAll();
  const found = await of.where('paid_at', '>=', from).where('paid_at', '<=', to).where('paid_at', '>', 0).execute();
  const known = new Map(found.map((order) => [order.id, order]));
  for (let start = 0; start < payments.length; start += IDS_A_QUERY) {
    const part = payments.slice(start, start + IDS_A_QUERY);
    const named = await of
      .where((eb) =>
        eb.or([
          eb(
            'trade_no',
            'in',
            part.map(({ tradeNo }) => tradeNo),
          ),
          eb(
            'gateway_no',
            'in',
            part.map(({ gatewayNo }) => gatewayNo || '-'),
          ),
        ]),
      )
      .execute();
    for (const order of named) known.set(order.id, order);
  }
  return [...known.values()];
}

function differenceOf(order: OrderRow | undefined, payment: Payment): Difference['kind'] | undefined {
  const isRefundOnly = payment.minor === 0 && payment.refunded > 0;
  if (!order) return 'missing_here';
  if (!isPaid(order.status)) return isRefundOnly ? 'state' : 'missing_here';
  if (!isRefundOnly && order.order_minor !== payment.minor) return 'amount';
  // A refund may be in a later statement than its payment, so only more than ours is a difference.
  if (payment.refunded > order.refunded_minor) return 'refund';
  return undefined;
}

function difference(kind: Difference['kind'], order: OrderRow | undefined, payment: Payment | undefined): Difference {
  return {
    kind,
    trade_no: order?.trade_no ?? payment?.tradeNo ?? '',
    gateway_no: order?.gateway_no || (payment?.gatewayNo ?? ''),
    order_id: order?.id ?? 0,
    at: payment?.at || (order?.paid_at ?? 0),
    here: order ? { minor: order.order_minor, refunded_minor: order.refunded_minor, state: order.status } : null,
    there: payment ? { minor: payment.minor, refunded_minor: payment.refunded, state: payment.state } : null,
  };
}
