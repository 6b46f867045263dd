import type {
  ListQuery,
  Order,
  OrderDetail,
  OrderFilters,
  OrderTotals,
  OwnOrder,
  OwnOrderDetail,
  Page,
  StrayNotice,
} from '@relay-hub/contract';
import { isPaid, orderAttentions, orderStatuses } from '@relay-hub/contract';
import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { idNamed } from '#features/account/user/user-named.ts';
import { openConfig, refundsOf } from '#features/payment/gateway-config.ts';
import { type GatewayRow, gatewayRow } from '#features/payment/gateway-rows.ts';
import { pageOfRows } from '#http/list.ts';
import { adapterOf } from '#payments/registry.ts';
import { startReply } from './create-order.ts';
import { entriesOfOrder } from './order-entries.ts';
import { eventColumns, eventOf } from './order-events.ts';
import { type OrderRow, startOf } from './order-rows.ts';
import { unspentQuota } from './unspent.ts';

type FoundOrders = SelectQueryBuilder<Tables, 'orders', object>;

/** Orders that match a filter. */
export function filteredOrders(db: Db, filters: OrderFilters): FoundOrders {
  const { keyword, username, status, attention, gateway_type: type } = filters;
  let found: FoundOrders = db.selectFrom('orders');
  if (keyword !== '')
    found = found.where(({ eb, or }) =>
      or([eb('trade_no', '=', keyword), eb('gateway_no', '=', keyword), eb('user_id', '=', idNamed(keyword))]),
    );
  if (filters.user_id !== 0) found = found.where('user_id', '=', filters.user_id);
  if (username !== '') found = found.where('user_id', '=', idNamed(username));
  if (filters.gateway_id !== 0) found = found.where('gateway_id', '=', filters.gateway_id);
  if (type !== '')
    found = found.where(
      'gateway_id',
      'in',
      db
        .selectFrom('payment_gateways')
        .where(sql`type`, '=', type)
        .select('id'),
    );
  if (filters.trade_no !== '') found = found.where('trade_no', '=', filters.trade_no);
  if (filters.gateway_no !== '') found = found.where('gateway_no', '=', filters.gateway_no);
  if (status !== '')
    found = found.where(
      'status',
      'in',
      orderStatuses.filter((one) => status.split(',').includes(one)),
    );
  if (attention === 'any') found = found.where('attention', '<>', 'none');
  else if (attention !== '')
    found = found.where(
      'attention',
      'in',
      orderAttentions.filter((one) => one === attention),
    );
  if (filters.start_timestamp !== 0) found = found.where('created_at', '>=', filters.start_timestamp);
  if (filters.end_timestamp !== 0) found = found.where('created_at', '<=', filters.end_timestamp);
  return found;
}

export async function listOrders(db: Db, query: ListQuery & OrderFilters): Promise<Page<Order>> {
  const page = await pageOfRows(filteredOrders(db, query).selectAll(), query);
  return { ...page, data: await ordersOf(db, page.data) };
}

/** Counts by status and sums by currency of matching orders. */
export async function orderTotals(db: Db, filters: OrderFilters): Promise<OrderTotals> {
  const rows = await filteredOrders(db, filters)
    .select(({ fn }) => [
      'status',
      'order_currency',
      fn.countAll<number>().as('count'),
      fn.sum<number>('order_minor').as('paid_minor'),
      fn.sum<number>('refunded_minor').as('refunded_minor'),
      fn.sum<number>(sql`case when attention <> 'none' then 1 else 0 end`).as('attention'),
    ])
    .groupBy(['status', 'order_currency'])
    .execute();
  const sum = (of: typeof rows, field: 'count' | 'paid_minor' | 'refunded_minor' | 'attention'): number =>
    of.reduce((total, row) => total + row[field], 0);
  const paid = rows.filter(({ status }) => isPaid(status));
  return {
    count: sum(rows, 'count'),
    by_status: orderStatuses
      .map((status) => ({
        status,
        count: sum(
          rows.filter((row) => row.status === status),
          'count',
        ),
      }))
      .filter(({ count }) => count > 0),
    by_currency: [...new Set(paid.map((row) => row.order_currency))].map((currency) => {
      const of = paid.filter((row) => row.order_currency === currency);
      return {
        currency,
        count: sum(of, 'count'),
        paid_minor: sum(of, 'paid_minor'),
        refunded_minor: sum(of, 'refunded_minor'),
      };
    }),
    attention: sum(rows, 'attention'),
  };
}

/** An order with its timeline, refunds and disputes. */
export async function orderDetail(deps: Pick<Deps, 'db' | 'secrets'>, id: number): Promise<OrderDetail> {
  const { db, secrets } = deps;
  const row = await db.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  const [[record], gateway, events, refunds, disputes, user] = await Promise.all([
    ordersOf(db, [row]),
    gatewayRow(db, row.gateway_id),
    db.selectFrom('order_events').where('order_id', '=', id).select(eventColumns).orderBy('id').execute(),
    db
      .selectFrom('refunds')
      .leftJoin('users', 'users.id', 'refunds.actor_id')
      .where('order_id', '=', id)
      .selectAll('refunds')
      .select('users.username as actor_name')
      .orderBy('refunds.id')
      .execute(),
    db.selectFrom('disputes').where('order_id', '=', id).selectAll().orderBy('id').execute(),
    db.selectFrom('users').where('id', '=', row.user_id).select(['quota', 'held']).executeTakeFirstOrThrow(),
  ]);
  ensure(record, 'record.not_found', { field: 'id' });
  const config = openConfig(gateway.type, gateway, secrets);
  const currency = row.order_currency;
  const balance = user.quota + user.held;
  return {
    ...record,
    events: events.map(eventOf),
    refunds: refunds.map(({ actor_name, ...refund }) => ({
      ...refund,
      currency,
      actor_name: actor_name ?? '',
    })),
    disputes: disputes.map((dispute) => ({ ...dispute, currency })),
    balance,
    unspent_quota: isPaid(row.status) ? await unspentQuota(db, row, balance) : 0,
    source_ip: row.source_ip,
    merchant: adapterOf(gateway.type).merchant(config),
    refunds_by_gateway: row.gateway_no === '' ? 'none' : refundsOf(gateway.type, config),
    gateway_deleted: gateway.deleted_time !== null,
    completed_remark: row.completed_remark,
    next_query_at: row.query_at,
    entries: await entriesOfOrder(db, { order: row, refunds, disputes }),
  };
}

/** The stored request or response of an event. Throws `record.not_found`. */
export async function eventEvidence(db: Db, id: number): Promise<{ text: string }> {
  const row = await db.selectFrom('order_events').where('id', '=', id).select('evidence').executeTakeFirst();
  ensure(row && row.evidence !== '', 'record.not_found', { field: 'id' });
  return { text: row.evidence };
}

/** Notifications that belong to no order, newest first. */
export async function strayNotices(db: Db, query: ListQuery): Promise<Page<StrayNotice>> {
  const page = await pageOfRows(db.selectFrom('order_events').where('order_id', '=', 0).select(eventColumns), query);
  const gateways = await db.selectFrom('payment_gateways').select(['id', 'name']).execute();
  const names = new Map(gateways.map(({ id, name }) => [id, name]));
  const data = page.data.map((row) => ({
    ...eventOf(row),
    gateway_id: row.gateway_id,
    gateway_name: names.get(row.gateway_id) ?? '',
  }));
  return { ...page, data };
}

/** The user's own orders. */
export async function ownOrders(
  db: Db,
  userId: number,
  query: ListQuery & { status: string; trade_no: string },
): Promise<Page<OwnOrder>> {
  let found: FoundOrders = db.selectFrom('orders').where('user_id', '=', userId);
  if (query.trade_no !== '') found = found.where('trade_no', '=', query.trade_no);
  if (query.status !== '')
    found = found.where(
      'status',
      'in',
      orderStatuses.filter((one) => one === query.status),
    );
  const page = await pageOfRows(found.selectAll(), query);
  return { ...page, data: await ordersOf(db, page.data) };
}

/** The user's own order with how to pay it and the current balance. */
export async function ownOrderDetail(db: Db, row: OrderRow, now: number): Promise<OwnOrderDetail> {
  const [record] = await ordersOf(db, [row]);
  const user = await db
    .selectFrom('users')
    .where('id', '=', row.user_id)
    .select(['quota', 'held'])
    .executeTakeFirstOrThrow();
  const started = startOf(row);
  const canPay = row.status === 'pending' && started !== undefined && row.expires_at > now;
  return {
    ...record!, // one record per row
    start: canPay ? startReply(row.trade_no, started, row.expires_at) : null,
    balance: user.quota + user.held,
  };
}

/** Rows as administrators see them; the contract drops what owners do not see. */
export async function ordersOf(db: Db, rows: readonly OrderRow[]): Promise<Order[]> {
  if (rows.length === 0) return [];
  const of = (field: 'gateway_id' | 'user_id' | 'completed_by') => [
    ...new Set(rows.map((row) => row[field]).filter((id) => id !== null)),
  ];
  const users = await db
    .selectFrom('users')
    .where('id', 'in', [...of('user_id'), ...of('completed_by')])
    .select(['id', 'username'])
    .execute();
  const gateways = await db
    .selectFrom('payment_gateways')
    .where('id', 'in', of('gateway_id'))
    .select(['id', 'name', 'type', 'icon'])
    .execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  const byId = new Map(gateways.map((gateway) => [gateway.id, gateway]));
  return rows.map((row) => orderOf(row, byId.get(row.gateway_id), names));
}

function orderOf(
  row: OrderRow,
  gateway: Pick<GatewayRow, 'name' | 'type' | 'icon'> | undefined,
  names: ReadonlyMap<number, string>,
): Order {
  return {
    ...row,
    gateway_name: gateway?.name ?? '',
    gateway_type: gateway?.type ?? 'epay',
    gateway_icon: gateway?.icon ?? '',
    username: names.get(row.user_id) ?? '',
    fee: row.fee_minor / 100,
    discount: row.discount_minor / 100,
    order_amount: row.order_minor / 100,
    completed_by: row.completed_by === null ? '' : (names.get(row.completed_by) ?? String(row.completed_by)),
  };
}
