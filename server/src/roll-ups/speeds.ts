import type { SpeedQuantiles } from '@relay-hub/contract';
import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { speedMeasure, type SpeedMeasure } from '#db/speed-buckets.ts';
import type { Db } from '#db/tables.ts';
import { mergeSpeeds, quantilesOf } from './speed-histogram.ts';
import { type GroupKey, type Piece, piecesOf, type Stretch } from './usage-by-group.ts';
import type { UsageScope } from './usage-scope.ts';
import { HOUR_S, isModel, isToken } from './usage-scope.ts';

/** Speed of successful calls: the whole call, and the first token of streams. */
export interface Speed {
  duration: SpeedQuantiles;
  first_token: SpeedQuantiles;
}

/**
 * Speed of a channel, a model, a user or a token of a user, or of all calls, between two whole hours (Unix seconds).
 * Calls before `speedsSince` are not counted.
 */
export async function speedOf(db: Db, scope: UsageScope, from: number, until: number): Promise<Speed> {
  return speedIn(await speedCounts(db, { scope, from, until }));
}

/** The first hour with histograms, if there were successful calls before it; null: all calls have times. */
export async function speedsSince(db: Db): Promise<number | null> {
  const { since } = await db
    .selectFrom('speeds_by_channel')
    .select(({ fn }) => fn.min<number | null>('hour').as('since'))
    .executeTakeFirstOrThrow();
  if (since === null) return null;
  const earlier = await db
    .selectFrom('usage_by_channel')
    .where('hour', '<', since)
    .whereRef('request_count', '>', 'failed_count')
    .select('hour')
    .limit(1)
    .executeTakeFirst();
  return earlier ? since : null;
}

/** Calls in one bucket of a group at a point. */
export interface GroupSpeed {
  /** Start of the day or hour, or of the range that one query read. */
  start: number;
  /** Empty if not grouped. */
  key: string;
  measure: SpeedMeasure;
  bucket: number;
  calls: number;
}

/** As `GroupQuestion`. */
export interface SpeedQuestion {
  by?: GroupKey;
  scope?: UsageScope;
  from: number;
  until: number;
  points?: readonly Stretch[];
  users?: readonly number[];
}

/** Histograms of a period by group. Reads sealed days where they exist. */
export async function speedCounts(db: Db, question: SpeedQuestion): Promise<GroupSpeed[]> {
  const rows: GroupSpeed[] = [];
  for (const piece of await piecesOf(db, { ...question, points: question.points }))
    rows.push(...(await readCounts(db, question, piece)));
  return rows;
}

/** The quantiles of all counts together. */
export function speedIn(counts: readonly Pick<GroupSpeed, 'measure' | 'bucket' | 'calls'>[]): Speed {
  const of = (measure: SpeedMeasure): SpeedQuantiles => {
    const measured = counts.filter((count) => count.measure === measure);
    return quantilesOf(mergeSpeeds(measured.map(({ bucket, calls }) => [bucket, calls] as const)));
  };
  return { duration: of(speedMeasure.duration), first_token: of(speedMeasure.firstToken) };
}

async function readCounts(
  db: Db,
  { by, scope = {}, points, users }: SpeedQuestion,
  piece: Piece,
): Promise<GroupSpeed[]> {
  const isDay = piece.grain === 'day';
  const time = sql.ref<number>(isDay ? 'speeds.day_start' : 'speeds.hour');
  const isOfUsers = scope.userId !== undefined || by === 'user' || by === 'user_group' || by === 'token';
  const table = sql.table(`${isDay ? 'speed_days' : 'speeds'}_by_${isOfUsers ? 'token' : 'channel'}`);
  // Without a user, the users lead, whose ids are the beginning of the table's key.
  const walks = isOfUsers && scope.userId === undefined && !users;
  const key = keyOf(by);
  // Hours of a channel are named one by one, so that the key finds each of them.
  const conditions: RawBuilder<SqlBool>[] =
    scope.channelId !== undefined && !isDay
      ? [sql`${time} in (${sql.join(hoursIn(piece))})`]
      : [sql`${time} >= ${piece.start}`, sql`${time} < ${piece.end}`];
  if (walks || by === 'user_group') conditions.push(sql`users.id = speeds.user_id`);
  if (scope.userId !== undefined) conditions.push(sql`speeds.user_id = ${scope.userId}`);
  if (scope.tokenId !== undefined) conditions.push(isToken('speeds.token_id', scope.tokenId));
  if (scope.channelId !== undefined) conditions.push(sql`speeds.channel_id = ${scope.channelId}`);
  if (scope.model !== undefined) conditions.push(isModel(scope.model));
  if (users) conditions.push(sql`speeds.user_id in (${sql.join(users)})`);
  const { rows } = await sql<GroupSpeed>`
    select ${points ? time : sql.lit(piece.start)} as start, cast(${key} as text) as key, measure, bucket,
      sum(calls) as calls
    from ${walks || by === 'user_group' ? sql`users cross join ` : sql``}${table} as speeds
    where ${sql.join(conditions, sql` and `)}
    group by ${sql.join([...(points ? [time] : []), ...(by ? [key] : []), sql`measure`, sql`bucket`])}`.execute(db);
  return rows;
}

const hoursIn = ({ start, end }: Piece): number[] =>
  Array.from({ length: (end - start) / HOUR_S }, (_, at) => start + at * HOUR_S);

function keyOf(by: GroupKey | undefined): RawBuilder<unknown> {
  switch (by) {
    case 'model':
      return sql`speeds.model_name`;
    case 'channel':
      return sql`speeds.channel_id`;
    case 'user':
      return sql`speeds.user_id`;
    case 'token':
      return sql`speeds.token_id`;
    case 'user_group':
      return sql`users."group"`;
    default:
      return sql`''`;
  }
}
