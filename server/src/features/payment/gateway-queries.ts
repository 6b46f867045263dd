import type { Page, ParsedOf, PaymentGateway, PublicGateway } from '@relay-hub/contract';
import { paidStatuses, type paymentApi } from '@relay-hub/contract';
import { sql } from 'kysely';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { pageOfRows } from '#http/list.ts';
import { shownConfig } from './gateway-config.ts';
import { type GatewayDeps, existingGateway, type GatewayRow, notifyUrl } from './gateway-rows.ts';

const WEEK_S = 7 * 86_400;

type GatewayQuery = ParsedOf<typeof paymentApi.list>['query'];

export async function listGateways(
  db: Db,
  deps: GatewayDeps,
  { keyword, name, uuid, type, currency, ...query }: GatewayQuery,
): Promise<Page<PaymentGateway>> {
  let found = db.selectFrom('payment_gateways').where('deleted_time', 'is', null);
  if (keyword !== '') found = found.where(({ eb, or }) => or([startsWith('name', keyword), eb('uuid', '=', keyword)]));
  if (name !== '') found = found.where(startsWith('name', name));
  if (uuid !== '') found = found.where('uuid', '=', uuid);
  if (type !== '') found = found.where(sql`type`, '=', type);
  if (currency !== '') found = found.where(sql`currency`, '=', currency);
  const page = await pageOfRows(found.selectAll(), { ...query, order: query.order === '' ? '-sort' : query.order });
  return { ...page, data: await recordsOf(db, deps, page.data) };
}

export async function getGateway(db: Db, deps: GatewayDeps, id: number): Promise<PaymentGateway> {
  const [record] = await recordsOf(db, deps, [await existingGateway(db, id)]);
  return record!; // one record per row
}

/** Gateways that a user can pay with, in the order of their display. */
export async function publicGateways(db: Db): Promise<PublicGateway[]> {
  const rows = await db
    .selectFrom('payment_gateways')
    .where('enable', '=', true)
    .where('deleted_time', 'is', null)
    .orderBy('sort', 'desc')
    .orderBy('id')
    .selectAll()
    .execute();
  return rows.map((row) => ({
    ...pricesOf(row),
    uuid: row.uuid,
    type: row.type,
    name: row.name,
    icon: row.icon,
    sort: row.sort,
  }));
}

/** Fees and currency as the contract has them. */
export const pricesOf = (row: Pick<GatewayRow, 'fixed_fee_minor' | 'percent_fee_bp' | 'currency'>) => ({
  fixed_fee: row.fixed_fee_minor / 100,
  percent_fee: row.percent_fee_bp / 10_000,
  currency: row.currency,
});

async function recordsOf(db: Db, deps: GatewayDeps, rows: readonly GatewayRow[]): Promise<PaymentGateway[]> {
  const ids = rows.map(({ id }) => id);
  const counts =
    ids.length === 0
      ? []
      : await db
          .selectFrom('orders')
          .where('gateway_id', 'in', ids)
          .where('created_at', '>=', deps.now() - WEEK_S)
          .where('start', '<>', '')
          .select(({ fn }) => [
            'gateway_id',
            fn.countAll<number>().as('started'),
            fn.sum<number>(sql`case when status in (${sql.join(paidStatuses)}) then 1 else 0 end`).as('paid'),
          ])
          .groupBy('gateway_id')
          .execute();
  return rows.map((row) => {
    const { id, uuid, type, name, icon, notify_domain, sort, enable, created_at, updated_at } = row;
    const count = counts.find(({ gateway_id }) => gateway_id === id);
    return {
      ...pricesOf(row),
      id,
      uuid,
      type,
      name,
      icon,
      notify_domain,
      sort,
      enable,
      created_at,
      updated_at,
      notify_url: notifyUrl(row, deps),
      config: shownConfig(type, row, deps.secrets),
      last_notice_at: row.last_notice_at,
      last_refused_at: row.last_refused_at,
      started_orders: count?.started ?? 0,
      paid_orders: count?.paid ?? 0,
    };
  });
}
