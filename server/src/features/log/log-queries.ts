import type { Log, LogPage } from '@relay-hub/contract';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import type { Viewer } from '#http/session/session.ts';
import { withoutPlaces } from '#private-places.ts';
import { FIRST_REFUSAL } from '#refusals/first-refusal.ts';
import { countFound } from './log-count.ts';
import type { LogRow } from './log-row.ts';
import type { PageQuery } from './log-page.ts';
import { findPage } from './log-page.ts';
import { readRefused } from './refused-rows.ts';
import type { LogFilters, LogSearch } from './log-search.ts';
import { searchOf } from './log-search.ts';
import { directionOf, findSortedPage, SORTED_ROWS } from './log-sort.ts';
import type { TimeLimits } from './log-walk.ts';
import { quick } from './log-walk.ts';

const columns = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'channel_id',
  'request_time',
  'is_stream',
  'source_ip',
  'request_id',
  'metadata',
] as const;

/** Rows of all users, with channel names. */
export async function listLogs(
  db: Db,
  { page, size, order, after, before, ...filters }: PageQuery & LogFilters,
  budget = quick,
): Promise<LogPage> {
  const found = await pageOf(db, await searchOf(db, filters), { page, size, order, after, before }, budget);
  return { ...found, data: await withChannels(db, found.data) };
}

/** A user's own rows, without channels, which are the operator's business. */
export async function listOwnLogs(
  db: Db,
  userId: number,
  { page, size, order, after, before, ...filters }: PageQuery & LogFilters,
  budget = quick,
): Promise<LogPage> {
  const found = await pageOf(db, await searchOf(db, filters, userId), { page, size, order, after, before }, budget);
  return { ...found, data: found.data.map(withoutChannel) };
}

async function pageOf(
  db: Db,
  search: LogSearch,
  query: PageQuery,
  budget: TimeLimits,
): Promise<Omit<LogPage, 'data'> & { data: LogRow[] }> {
  const { page, size } = query;
  const going = directionOf(query.order);
  if (!going) {
    const { ids, total, more } = await findSortedPage(db, search, query);
    const info = { page, size, total_count: total, more, next: '', previous: '', searched_to: 0 };
    const rows = ids.map((id) => ({ id }));
    return { ...info, data: await readRows(db, rows), sorted_newest: more ? SORTED_ROWS : 0 };
  }
  const [{ places, ...found }, { total, more }] = await Promise.all([
    findPage(db, search, query, { going, budget }),
    countFound(db, search, budget),
  ]);
  return { page, size, total_count: total, more, ...found, data: await readRows(db, places), sorted_newest: 0 };
}

/**
 * Rows by id, in that order; their times spare PostgreSQL other months. Rows deleted meanwhile are left out.
 */
export async function readRows(db: Db, places: readonly { id: number; at?: number }[]): Promise<LogRow[]> {
  const ids = places.map(({ id }) => id);
  const rows = await readCalls(
    db,
    places.filter(({ id }) => id < FIRST_REFUSAL),
  );
  rows.push(
    ...(await readRefused(
      db,
      ids.filter((id) => id >= FIRST_REFUSAL),
    )),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function readCalls(db: Db, calls: readonly { id: number; at?: number }[]): Promise<LogRow[]> {
  if (calls.length === 0) return [];
  const ids = calls.map(({ id }) => id);
  const times = calls.flatMap(({ at }) => at ?? []);
  let found = db.selectFrom('logs').where('id', 'in', ids);
  if (times.length === calls.length && isPostgres(db))
    found = found.where('created_at', '>=', Math.min(...times)).where('created_at', '<=', Math.max(...times));
  return found.select(columns).execute();
}

export async function getLog(db: Db, id: number): Promise<Log> {
  const [row] = await readRows(db, [{ id }]);
  ensure(row, 'record.not_found', { field: 'id' });
  const [log] = await withChannels(db, [row]);
  ensure(log, 'record.not_found', { field: 'id' });
  return log;
}

export async function getOwnLog(db: Db, viewer: Viewer, id: number): Promise<Log> {
  const [row] = await readRows(db, [{ id }]);
  ensure(row && row.user_id === viewer.id, 'record.not_found', { field: 'id' });
  const own = await tokensWithin(db, viewer, {});
  ensure(!own || own.includes(row.token_id), 'record.not_found', { field: 'id' });
  return withoutChannel(row);
}

/** Adds the names of existing channels, and to attempts their types. */
export async function withChannels(db: Db, rows: LogRow[]): Promise<Log[]> {
  const named = rows.flatMap((row) => [row, ...(row.metadata?.attempts ?? [])]).map(({ channel_id: id }) => id);
  const ids = [...new Set(named)].filter((id) => id !== 0);
  const found =
    ids.length === 0
      ? []
      : await db.selectFrom('channels').where('id', 'in', ids).select(['id', 'name', 'type']).execute();
  const channels = new Map(found.map((channel) => [channel.id, channel]));
  return rows.map(({ metadata, ...row }) => {
    const { id, name } = channels.get(row.channel_id) ?? {};
    const attempts = metadata?.attempts?.map((attempt) => {
      const type = channels.get(attempt.channel_id)?.type;
      return type === undefined ? attempt : { ...attempt, channel_type: type };
    });
    return {
      ...row,
      channel: id === undefined || name === undefined ? null : { id, name },
      metadata: metadata && { ...metadata, ...(attempts && { attempts }) },
    };
  });
}

/** A row as its owner may see it. */
export function withoutChannel(row: LogRow): Log {
  const { attempts, served, ...metadata } = row.metadata ?? {};
  // Names of channels are only for the operator.
  const { model: _model, fingerprint: _fingerprint, asked: _asked, ...ownServed } = served ?? {};
  const own = attempts?.map(({ shown, message = shown, ...attempt }) => ({
    ...attempt,
    cost: undefined,
    channel_id: 0,
    channel_name: '',
    // Old rows lack `shown` and are masked here, as far as possible without the channel.
    ...(message !== undefined && { message: withoutPlaces(shown ?? message) }),
  }));
  return {
    ...row,
    channel_id: 0,
    channel: null,
    metadata: row.metadata && {
      ...metadata,
      ...(Object.keys(ownServed).length > 0 && { served: ownServed }),
      ...(own && { attempts: own }),
    },
  };
}
