import type { ListQuery, Log, LogTotals, Page } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { SelectQueryBuilder } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

const columns = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
  'username',
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

type LogRow = Omit<Log, 'channel'>;

export interface LogFilters {
  log_type: number;
  model_name: string;
  token_name: string;
  request_id: string;
  start_timestamp: number;
  end_timestamp: number;
  username?: string;
  source_ip?: string;
  channel_id?: number;
}

function filtered<Row>(
  query: SelectQueryBuilder<Tables, 'logs', Row>,
  filters: LogFilters,
): SelectQueryBuilder<Tables, 'logs', Row> {
  let found = query;
  if (filters.log_type !== logType.all) found = found.where('type', '=', filters.log_type);
  for (const column of ['model_name', 'token_name', 'request_id', 'username', 'source_ip'] as const) {
    const value = filters[column];
    if (value) found = found.where(column, '=', value);
  }
  if (filters.channel_id) found = found.where('channel_id', '=', filters.channel_id);
  if (filters.start_timestamp !== 0) found = found.where('created_at', '>=', filters.start_timestamp);
  if (filters.end_timestamp !== 0) found = found.where('created_at', '<=', filters.end_timestamp);
  return found;
}

/** Rows of everybody, with the names of their channels. */
export async function listLogs(db: Db, query: ListQuery & LogFilters): Promise<Page<Log>> {
  const page = await pageOfRows(filtered(db.selectFrom('logs').select(columns), query), query);
  return { ...page, data: await withChannels(db, page.data) };
}

/** A user's own rows. Which channel served them is the operator's business. */
export async function listOwnLogs(db: Db, userId: number, query: ListQuery & LogFilters): Promise<Page<Log>> {
  const page = await pageOfRows(
    filtered(db.selectFrom('logs').where('user_id', '=', userId).select(columns), query),
    query,
  );
  return { ...page, data: page.data.map(withoutChannel) };
}

export async function getLog(db: Db, id: number): Promise<Log> {
  const row = await db.selectFrom('logs').where('id', '=', id).select(columns).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  const [log] = await withChannels(db, [row]);
  return log!; // one row in, one row out
}

export async function getOwnLog(db: Db, userId: number, id: number): Promise<Log> {
  const row = await db
    .selectFrom('logs')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .select(columns)
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return withoutChannel(row);
}

/** Sums over the calls that the filters find. */
export async function totalsOf(db: Db, filters: LogFilters, userId?: number): Promise<LogTotals> {
  let calls = filtered(db.selectFrom('logs').select([]), filters).where('type', '=', logType.consume);
  if (userId !== undefined) calls = calls.where('user_id', '=', userId);
  const sums = await calls
    .select(({ fn, eb }) => [
      fn.coalesce(fn.sum<number>('quota'), eb.lit(0)).as('quota'),
      fn.coalesce(fn.sum<number>('prompt_tokens'), eb.lit(0)).as('prompt_tokens'),
      fn.coalesce(fn.sum<number>('completion_tokens'), eb.lit(0)).as('completion_tokens'),
      fn.coalesce(fn.sum<number>('cached_tokens'), eb.lit(0)).as('cached_tokens'),
      fn.countAll<number>().as('requests'),
      fn.coalesce(fn.sum<number>(eb.case().when('failed', '=', true).then(1).else(0).end()), eb.lit(0)).as('failures'),
    ])
    .executeTakeFirstOrThrow();
  return sums;
}

async function withChannels(db: Db, rows: LogRow[]): Promise<Log[]> {
  const ids = [...new Set(rows.map(({ channel_id: id }) => id).filter((id) => id !== 0))];
  const named =
    ids.length === 0 ? [] : await db.selectFrom('channels').where('id', 'in', ids).select(['id', 'name']).execute();
  const channels = new Map(named.map((channel) => [channel.id, channel]));
  return rows.map((row) => ({ ...row, channel: channels.get(row.channel_id) ?? null }));
}

function withoutChannel(row: LogRow): Log {
  const { attempts, ...metadata } = row.metadata ?? {};
  const own = attempts?.map((attempt) => ({ ...attempt, channel_id: 0, channel_name: '' }));
  return {
    ...row,
    channel_id: 0,
    channel: null,
    metadata: row.metadata && { ...metadata, ...(own && { attempts: own }) },
  };
}
