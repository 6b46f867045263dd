import type { ListQuery } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { Direction, LogInterval } from './log-path.ts';
import { pathOf, rowsOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { placeAfter } from './log-walk.ts';

/** Number of newest rows that other orders than time apply to. */
export const SORTED_ROWS = 10_000;

interface Term {
  column: string;
  direction: Direction;
}

/** Parses an order such as `-quota,id`, whose columns are validated already. Default: newest first. */
function termsOf(order: string): Term[] {
  const terms = order
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): Term =>
      part.startsWith('-') ? { column: part.slice(1), direction: 'desc' } : { column: part, direction: 'asc' },
    );
  return terms.length > 0 ? terms : [{ column: 'created_at', direction: 'desc' }];
}

/** Columns that refused calls can be sorted by; they have no cost or duration. */
const refusalColumns = new Set(['id', 'created_at', 'user_id', 'token_name', 'model_name', 'source_ip']);

const isTime = (column: string): boolean => column === 'created_at' || column === 'id';

/** The direction of a chronological order; undefined for other orders. */
export function directionOf(order: string): Direction | undefined {
  const terms = termsOf(order);
  return terms.every(({ column }) => isTime(column)) ? terms[0]?.direction : undefined;
}

/** A page of a search's newest rows in another order, their number, and whether older rows exist. */
export async function findSortedPage(
  db: Db,
  search: LogSearch,
  { page, size, order }: ListQuery,
): Promise<{ ids: number[]; total: number; more: boolean }> {
  const path = pathOf(search);
  const whole: LogInterval = { from: search.from, to: search.to };
  const end = await placeAfter(db, path, whole, { going: 'desc', rows: SORTED_ROWS });
  const rows = rowsOf(db, path, { ...whole, until: end && { place: end, going: 'desc' } });
  const possible = termsOf(order).filter(({ column }) => path.table === 'logs' || refusalColumns.has(column));
  const [first = { column: 'created_at', direction: 'desc' as const }, ...rest] = possible;
  const terms = [first, ...rest];
  // Time as the last term makes the order total, so that no row is on two pages or on none.
  const last = first.direction;
  const total = terms.some(({ column }) => isTime(column))
    ? [...terms, { column: 'id', direction: last }]
    : [...terms, { column: 'created_at', direction: last }, { column: 'id', direction: last }];
  let sorted = rows.select('id');
  for (const { column, direction } of total) sorted = sorted.orderBy(sql.ref(column), direction);
  const [found, { count }, beyond] = await Promise.all([
    sorted
      .limit(size)
      .offset((Math.min(page, SORTED_ROWS) - 1) * size)
      .execute(),
    rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    end && placeAfter(db, path, { ...whole, past: { place: end, going: 'desc' } }, { going: 'desc', rows: 1 }),
  ]);
  return { ids: found.map(({ id }) => id), total: count, more: beyond !== undefined };
}
