import type { OrderStatus } from '@relay-hub/contract';
import type { Selectable, Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import type { PaymentRef, StartedPayment } from '#payments/gateway.ts';

export type OrderRow = Selectable<Tables['orders']>;

/** Dependencies of everything that changes orders. */
export type OrderDeps = Pick<Deps, 'db' | 'config' | 'live' | 'secrets' | 'now' | 'log' | 'book'>;

/** Throws `record.not_found`. */
export async function orderRow(db: Db, id: number): Promise<OrderRow> {
  const row = await db.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** The user's own order. Throws `record.not_found`. */
export async function ownOrderRow(db: Db, userId: number, tradeNo: string): Promise<OrderRow> {
  const row = await db
    .selectFrom('orders')
    .where('trade_no', '=', tradeNo)
    .where('user_id', '=', userId)
    .selectAll()
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'trade_no' });
  return row;
}

/** Reads an order and locks it until the transaction ends. Lock the accounts first. */
export async function lockOrder(trx: Transaction<Tables>, id: number): Promise<OrderRow> {
  const row = await locked(trx.selectFrom('orders').where('id', '=', id).selectAll(), trx).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** The order as adapters know it. */
export const refOf = (row: OrderRow): PaymentRef => ({
  tradeNo: row.trade_no,
  gatewayNo: row.gateway_no,
  sessionNo: row.session_no,
  minor: row.order_minor,
  currency: row.order_currency,
});

/** How the payment was started; undefined if the gateway has not responded. */
export const startOf = (row: Pick<OrderRow, 'start'>): StartedPayment | undefined =>
  row.start === '' ? undefined : (JSON.parse(row.start) as StartedPayment); // written by this server

/** The status of a paid order without an open or lost dispute. */
export const refundedStatus = ({ quota, refunded_quota }: Pick<OrderRow, 'quota' | 'refunded_quota'>): OrderStatus =>
  refunded_quota === 0 ? 'success' : refunded_quota < quota ? 'part_refunded' : 'refunded';
