import { logType } from '@relay-hub/contract';
import type { RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { byIndex } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { HOUR_S, isModel, isToken } from '#roll-ups/usage-scope.ts';
import { END_OF_TIME, type LogSearch } from './log-search.ts';

type Condition = RawBuilder<SqlBool>;

/**
 * How to find rows: conditions that an index of migration 0006 or 0050 answers alone, in chronological order, and the remaining
 * ones, which need the row.
 */
export interface LogPath {
  table: 'logs' | 'refusals';
  /** Index name; empty for the database's choice. */
  name: string;
  index: Condition[];
  rest: Condition[];
}

export function pathOf(search: LogSearch): LogPath {
  return search.type === logType.refused ? refusalPathOf(search) : callPathOf(search);
}

function callPathOf(search: LogSearch): LogPath {
  const { requestId, failed, type } = search;
  const [user, channel] = [idIs('user_id', search.userId), idIs('channel_id', search.channelId)];
  const token = typeof search.tokenId === 'number' ? idIs('token_id', search.tokenId) : [];
  const rest = [...restOf(search), ...(search.losing ? [isLosing] : [])];
  if (requestId !== undefined)
    return {
      table: 'logs',
      name: 'logs_request',
      index: [sql`request_id = ${requestId}`],
      rest: [...user, ...token, ...channel, ...(failed ? [isFailed] : []), ...rest],
    };
  if (search.losing && !failed)
    return {
      table: 'logs',
      name: 'logs_losing',
      index: [isLosing],
      rest: [...user, ...token, ...channel, ...restOf(search)],
    };
  const notes = type !== undefined && type !== logType.consume && !failed;
  // Literally the conditions of the partial indexes.
  const rare = failed ? [isFailed] : notes ? [isNote] : [];
  const kind = failed ? '_failed' : notes ? '_note' : '';
  const table = 'logs';
  if (token.length > 0 && !notes)
    return { table, name: `logs${kind}_token`, index: [...rare, ...token], rest: [...user, ...channel, ...rest] };
  if (user.length > 0)
    return { table, name: `logs${kind}_user`, index: [...rare, ...user], rest: [...token, ...channel, ...rest] };
  if (channel.length > 0 && !notes) return { table, name: `logs${kind}_channel`, index: [...rare, ...channel], rest };
  return {
    table,
    name: kind === '' ? 'logs_created' : `logs${kind}`,
    index: rare,
    rest: [...token, ...channel, ...rest],
  };
}

/** Path to refused calls. */
export function refusalPathOf(search: LogSearch): LogPath {
  const { requestId, code, status, to } = search;
  const rest = [
    ...restOf({ ...search, type: undefined, stream: undefined }),
    ...(code === undefined ? [] : [sql<SqlBool>`(code = ${code} or reason = ${code})`]),
    ...(status === undefined ? [] : [sql<SqlBool>`status = ${status}`]),
    // A row matches a time range if any of its calls can be in it.
    ...(to < END_OF_TIME ? [sql<SqlBool>`first_time <= ${to}`] : []),
  ];
  const [user, token] = [
    idIs('user_id', search.userId),
    typeof search.tokenId === 'number' ? idIs('token_id', search.tokenId) : [],
  ];
  const table = 'refusals';
  if (requestId !== undefined)
    return {
      table,
      name: '',
      index: [sql`(request_id = ${requestId} or first_request_id = ${requestId})`, ...user, ...token],
      rest,
    };
  if (token.length > 0) return { table, name: 'refusals_token', index: token, rest: [...user, ...rest] };
  return { table, name: user.length > 0 ? 'refusals_user' : 'refusals_created', index: user, rest };
}

/** Path to rows that are no calls. */
export function notePathOf(search: LogSearch): LogPath {
  const user = idIs('user_id', search.userId);
  return {
    table: 'logs',
    name: user.length > 0 ? 'logs_note_user' : 'logs_note',
    index: [isNote, ...user],
    rest: [
      ...(typeof search.tokenId === 'number' ? idIs('token_id', search.tokenId) : []),
      ...idIs('channel_id', search.channelId),
      ...restOf(search),
    ],
  };
}

/** Path to calls without a known channel, because their process died; channel roll-ups lack them. */
export function lostPathOf(search: LogSearch): LogPath {
  const rest = restOf({ ...search, failed: true });
  return { table: 'logs', name: 'logs_failed_channel', index: [isFailed, ...idIs('channel_id', 0)], rest };
}

/** Whether a search covers all users and channels, for which the roll-ups by channel suffice. */
export const isOfAll = ({ userId, tokenId, channelId }: LogSearch): boolean =>
  [userId, tokenId, channelId].every((id) => id === undefined);

const isFailed = sql<SqlBool>`failed`;
const isLosing = sql<SqlBool>`cost > quota * 1000`;
const isNote = sql<SqlBool>`type <> 2`;

function idIs(column: 'user_id' | 'token_id' | 'channel_id', id: number | undefined): Condition[] {
  return id === undefined ? [] : [sql`${sql.ref(column)} = ${id}`];
}

function restOf({ failed, type, model, username, stream, tokenId, tokenName, sourceIp }: LogSearch): Condition[] {
  return [
    // Several tokens are in no index in order of time.
    ...(typeof tokenId === 'object' ? [isToken('token_id', tokenId)] : []),
    // Only calls can fail.
    ...(type === undefined || (failed && type === logType.consume) ? [] : [sql<SqlBool>`type = ${type}`]),
    ...(model === undefined ? [] : [isModel(model)]),
    ...(username === undefined ? [] : [sql<SqlBool>`username = ${username}`]),
    ...(stream === undefined ? [] : [stream ? sql<SqlBool>`is_stream` : sql<SqlBool>`not is_stream`]),
    ...(tokenName === undefined ? [] : [sql<SqlBool>`token_name = ${tokenName}`]),
    ...(sourceIp === undefined ? [] : [sql<SqlBool>`source_ip = ${sourceIp}`]),
  ];
}

/** A row's position in chronological order. */
export interface LogPosition {
  at: number;
  id: number;
}

/** An interval of the timeline, between positions or times. */
export interface LogInterval {
  from: number;
  to: number;
  /** Exclusive. */
  past?: { place: LogPosition; going: Direction } | undefined;
  /** Inclusive. */
  until?: { place: LogPosition; going: Direction } | undefined;
}
export type Direction = 'asc' | 'desc';

/** Rows of an interval: all that match the index conditions, or also the rest. */
export function rowsOf(db: Db, path: LogPath, stretch: LogInterval, which: 'index' | 'rest' = 'rest') {
  let rows = tableOf(db, path);
  for (const condition of path.index) rows = rows.where(condition);
  if (which === 'rest') for (const condition of path.rest) rows = rows.where(condition);
  const { past, until } = stretch;
  const ends = [past && edge(past, ''), until && edge({ ...until, going: opposite(until.going) }, '=')];
  // One bound per direction: with two, an index scan would start at the first, which may be far off.
  const from = Math.max(stretch.from, ...ends.map((end) => (end?.than === '>' ? end.at : 0)));
  const last = path.table === 'refusals' && stretch.to < END_OF_TIME ? stretch.to + HOUR_S - 1 : stretch.to;
  const to = Math.min(last, ...ends.map((end) => (end?.than === '<' ? end.at : END_OF_TIME)));
  if (from > 0) rows = rows.where('created_at', '>=', from);
  if (to < END_OF_TIME) rows = rows.where('created_at', '<=', to);
  for (const end of ends) if (end) rows = rows.where(end.condition);
  return rows;
}

/** The columns used by lists have the same names in both tables. */
function tableOf(db: Db, { table, name }: LogPath): SelectQueryBuilder<Tables, 'logs', object> {
  if (table === 'logs') return db.selectFrom(byIndex(db, 'logs', name));
  const rows = name === '' ? db.selectFrom('refusals') : db.selectFrom(byIndex(db, 'refusals', name));
  return rows as unknown as SelectQueryBuilder<Tables, 'logs', object>;
}

export const opposite = (going: Direction): Direction => (going === 'desc' ? 'asc' : 'desc');

/** The condition for being beyond a position: by time, then by id. */
function edge({ place: { at, id }, going }: { place: LogPosition; going: Direction }, orAt: '' | '=') {
  const than = going === 'asc' ? '>' : '<';
  const [sign, idSign] = [sql.raw(than), sql.raw(than + orAt)];
  return { at, than, condition: sql<SqlBool>`(created_at ${sign} ${at} or id ${idSign} ${id})` };
}
