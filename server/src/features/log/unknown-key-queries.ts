import type { ListQuery, Page, UnknownKeys } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { networkOf } from '#http/client-network.ts';
import { hourOf } from '#roll-ups/usage-scope.ts';

interface UnknownKeyQuery extends ListQuery {
  source_ip: string;
  /** Unix seconds; 0 for open-ended. */
  start_timestamp: number;
  end_timestamp: number;
}

/** Calls with unknown keys, by address; the most recent first by default. */
export async function listUnknownKeys(db: Db, query: UnknownKeyQuery): Promise<Page<UnknownKeys>> {
  const { page, size, order, source_ip: ip, start_timestamp: from, end_timestamp: to } = query;
  let hours = db.selectFrom('unknown_keys').where('hour', '>=', hourOf(from));
  if (to > 0) hours = hours.where('hour', '<=', to);
  if (ip !== '') hours = hours.where('address', '=', networkOf(ip));
  const sum = (column: 'unknown' | 'missing') => sql<number>`sum(${sql.ref(column)})`.as(column);
  let addresses = hours
    .groupBy('address')
    .select(({ fn }) => [
      'address',
      sum('unknown'),
      sum('missing'),
      fn.min('first_time').as('first_time'),
      fn.max('last_time').as('last_time'),
    ]);
  for (const [column, direction] of termsOf(order)) addresses = addresses.orderBy(sql.id(column), direction);
  const [found, { total }] = await Promise.all([
    addresses
      .limit(size)
      .offset((Math.min(page, LAST_PAGE) - 1) * size)
      .execute(),
    hours.select(sql<number>`count(distinct address)`.as('total')).executeTakeFirstOrThrow(),
  ]);
  const paths = await lastPaths(
    db,
    found.map(({ address }) => address),
  );
  const data = found.map((row) => ({ ...row, endpoint: paths.get(row.address) ?? '' }));
  return { data, page, size, total_count: total };
}

const LAST_PAGE = 1_000_000_000;

/** The address makes the order total. */
function termsOf(order: string): [column: string, direction: 'asc' | 'desc'][] {
  const terms = (order === '' ? '-last_time' : order)
    .split(',')
    .map((part) => part.trim())
    .map((part): [string, 'asc' | 'desc'] => (part.startsWith('-') ? [part.slice(1), 'desc'] : [part, 'asc']));
  return [...terms, ['address', 'asc']];
}

async function lastPaths(db: Db, addresses: readonly string[]): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom('unknown_keys')
    .where('address', 'in', addresses)
    .select(['address', 'endpoint'])
    .orderBy('hour')
    .execute();
  return new Map(rows.map(({ address, endpoint }) => [address, endpoint]));
}
