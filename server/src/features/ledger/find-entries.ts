import type { LedgerKind } from '@relay-hub/contract';
import type { Expression, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { contains } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';

export interface EntryFilters {
  /** Undefined for all users. */
  userId?: number | undefined;
  /** Empty for all kinds. */
  kind: readonly LedgerKind[];
  keyword: string;
  start_timestamp: number;
  end_timestamp: number;
}

/** A cursor. */
export interface EntryCursor {
  created_time: number;
  id: number;
}

export interface Order {
  columns: readonly (keyof EntryCursor)[];
  direction: 'asc' | 'desc';
}

type Past = EntryCursor & { order: Order };
type EntryPositions = SelectQueryBuilder<Tables, 'ledger', EntryCursor>;

/**
 * A list's order. One user's entries are sorted as booked, so that balances are consecutive; filtered lists and lists
 * of all users by time. The two differ when calls end on several nodes at once.
 */
export function orderOf(order: string, filters: EntryFilters): Order {
  const { userId, keyword, start_timestamp: start, end_timestamp: end } = filters;
  const isBooked = userId !== undefined && keyword === '' && start === 0 && end === 0;
  return {
    columns: isBooked ? ['id'] : ['created_time', 'id'],
    direction: order === '' || order.trim().startsWith('-') ? 'desc' : 'asc',
  };
}

/**
 * Positions of the matching entries, unordered; index-only by migration 0003 unless there is a keyword. Calls have no
 * remark, so a keyword searches the few other entries; a call is found by its full reference. With `past`, only
 * positions behind a cursor.
 */
export function findEntries(db: Db, filters: EntryFilters, past?: Past): EntryPositions {
  const { keyword } = filters;
  const within = filtered(db, filters);
  if (keyword === '') return past ? within.where(isAfter(past)) : within;
  // SQLite does not know how rare these are and would scan the whole period. Selecting the other entries first, and
  // hiding times from the planner, avoids that.
  const others = within.where(isNoCall).clearSelect().select('id');
  const speaking = db
    .selectFrom('ledger')
    .where('id', 'in', others)
    .where((eb) => eb.or([contains('remark', keyword), contains('reference', keyword)]))
    .select(['id', 'created_time']);
  const named = filtered(db, filters, '+').where('reference', 'in', [keyword, `call:${keyword}`]);
  if (!past) return named.union(speaking);
  const isLater = isAfter(past, '+');
  return named.where(isLater).union(speaking.where(isLater));
}

function filtered(db: Db, filters: EntryFilters, sign: Sign = ''): EntryPositions {
  const { userId, kind: kinds, start_timestamp: start, end_timestamp: end } = filters;
  let found: EntryPositions = db.selectFrom('ledger').select(['id', 'created_time']);
  if (userId !== undefined) found = found.where('user_id', '=', userId);
  if (kinds.length > 0) found = found.where('kind', 'in', kinds);
  // Redundant, but makes the planner use the small index.
  if (kinds.length > 0 && !kinds.includes('settle')) found = found.where(isNoCall);
  const time = sql.raw<number>(`${sign}created_time`);
  if (start !== 0) found = found.where(time, '>=', start);
  if (end !== 0) found = found.where(time, '<=', end);
  return found;
}

/** In SQLite a plus before a column keeps the planner from using an index for it. */
type Sign = '+' | '';

function isAfter({ created_time, id, order }: Past, sign: Sign = ''): Expression<SqlBool> {
  const operator = sql.raw(order.direction === 'desc' ? '<' : '>');
  const [its, time] = [sql.raw(`${sign}id`), sql.raw(`${sign}created_time`)];
  return order.columns.length === 1
    ? sql`${its} ${operator} ${id}`
    : sql`(${time}, ${its}) ${operator} (${created_time}, ${id})`;
}

/** Literally the condition of the partial indexes. */
const isNoCall = sql<boolean>`kind <> 'settle'`;
