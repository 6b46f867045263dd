import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { gapsBetween } from './usage-blocks.ts';
import type { UsageScope } from './usage-scope.ts';
import { COST_UNITS, HOUR_S, isToken, sumNames } from './usage-scope.ts';

/**
 * Keys that usage can be grouped by. A user counts in their current group; tokens only within the scope of a user; `all`
 * is one group without a scope, which is read from a row per day.
 */
export type GroupKey = 'model' | 'channel' | 'user' | 'user_group' | 'token' | 'all';

export interface GroupUsage extends UsageSums {
  /** Start of the day or hour, or of the range that one query read. */
  start: number;
  key: string;
}

export interface GroupQuestion {
  by: GroupKey;
  /** With a channel, only grouping by model is possible; with a user, also by token. */
  scope?: UsageScope;
  from: number;
  until: number;
  /** Sorted, without gaps: each row then lies within one of them. Without points there are a few rows per key. */
  points?: readonly Stretch[] | undefined;
  /** Limits grouping by user to these users. */
  users?: readonly number[];
}

/** Whole hours, end exclusive. */
export interface Stretch {
  start: number;
  end: number;
}

/** Range of one query, so that other readers are not blocked for long: SQLite has one for all of them. */
const DAYS_AT_ONCE_S = { sqlite: 31 * 24 * HOUR_S, postgres: 124 * 24 * HOUR_S };
const HOURS_AT_ONCE_S = 4 * 24 * HOUR_S;

/** Usage between two whole hours, by group. Reads sealed days where they exist. */
export async function usageByGroup(db: Db, question: GroupQuestion): Promise<GroupUsage[]> {
  const rows: GroupUsage[] = [];
  for (const piece of await piecesOf(db, question)) rows.push(...(await readSums(db, question, piece, sumNames)));
  return rows;
}

export interface Piece extends Stretch {
  grain: 'month' | 'day' | 'hour';
}

/** Whole months, and the pieces of the rest. */
async function piecesByMonth(db: Db, { from, until }: { from: number; until: number }): Promise<Piece[]> {
  const months = await db
    .selectFrom('usage_months')
    .where('month_start', '>=', from)
    .where('month_end', '<=', until)
    .orderBy('month_start')
    .select(['month_start as start', 'month_end as end'])
    .execute();
  const rest = gapsBetween(months, from, until).map(({ start, end }) => piecesOf(db, { from: start, until: end }));
  // PostgreSQL adds up months faster than it sends a row of every user for each.
  const stretches = isPostgres(db) ? runsOf(months) : months;
  return [...stretches.map((month): Piece => ({ grain: 'month', ...month })), ...(await Promise.all(rest)).flat()];
}

/** The sealed days and the remaining hours of a range, each piece short and within one point. */
export async function piecesOf(
  db: Db,
  { from, until, points }: Pick<GroupQuestion, 'from' | 'until' | 'points'>,
): Promise<Piece[]> {
  const sealed = await db
    .selectFrom('usage_days')
    .where('day_start', '>=', from)
    .where('day_end', '<=', until)
    .orderBy('day_start')
    .select(['day_start as start', 'day_end as end'])
    .execute();
  // A day cut in another time zone may overlap two points; read its hours instead.
  const days = points ? within(sealed, points) : sealed;
  const daysAtOnce = DAYS_AT_ONCE_S[isPostgres(db) ? 'postgres' : 'sqlite'];
  return [
    ...runsOf(days).flatMap((run) => cut({ grain: 'day', ...run }, daysAtOnce)),
    ...gapsBetween(days, from, until).flatMap((gap) => cut({ grain: 'hour', ...gap }, HOURS_AT_ONCE_S)),
  ];
}

/** The ranges that each lie within one point; both lists are sorted. */
function within(stretches: readonly Stretch[], points: readonly Stretch[]): Stretch[] {
  let at = 0;
  return stretches.filter(({ start, end }) => {
    while ((points[at]?.end ?? Infinity) <= start) at++;
    const point = points[at];
    return point !== undefined && point.start <= start && end <= point.end;
  });
}

/** Joins adjacent stretches. A day that is being sealed is in none. */
function runsOf(days: readonly Stretch[]): Stretch[] {
  const runs: Stretch[] = [];
  for (const { start, end } of days) {
    const last = runs.at(-1);
    if (last?.end === start) last.end = end;
    else runs.push({ start, end });
  }
  return runs;
}

function cut({ grain, start, end }: Piece, length: number): Piece[] {
  const pieces: Piece[] = [];
  for (let at = start; at < end; at += length) pieces.push({ grain, start: at, end: Math.min(end, at + length) });
  return pieces;
}

/** Ids of users with calls between two whole hours, the largest first. */
export interface RankedUsers {
  byCost: number[];
  byCount: number[];
  byTokens: number[];
  /** Only those whose costs are above their charges, largest loss first. */
  byLoss: number[];
}

/** The users of a period by charge, by calls, by tokens and by loss. */
export async function usersRanked(db: Db, { from, until }: { from: number; until: number }): Promise<RankedUsers> {
  const found = new Map<number, { quota: number; count: number; tokens: number; loss: number }>();
  // Only the sums that rank: adding up all of them for all users takes twice as long.
  const names = ['quota', 'request_count', 'prompt_tokens', 'completion_tokens', 'cost', 'costed'] as const;
  for (const piece of await piecesByMonth(db, { from, until }))
    for (const row of await readSums(db, { by: 'user' }, piece, names)) {
      const before = found.get(Number(row.key)) ?? { quota: 0, count: 0, tokens: 0, loss: 0 };
      found.set(Number(row.key), {
        quota: before.quota + row.quota,
        count: before.count + row.request_count,
        tokens: before.tokens + row.prompt_tokens + row.completion_tokens,
        loss: before.loss + row.cost - row.costed * COST_UNITS,
      });
    }
  const users = [...found];
  const sorted = (measure: 'quota' | 'count' | 'tokens' | 'loss') =>
    users.toSorted(([a, x], [b, y]) => y[measure] - x[measure] || y.count - x.count || a - b).map(([userId]) => userId);
  const byLoss = sorted('loss').filter((id) => (found.get(id)?.loss ?? 0) > 0);
  return { byCost: sorted('quota'), byCount: sorted('count'), byTokens: sorted('tokens'), byLoss };
}

type SumName = (typeof sumNames)[number];
type How = Omit<GroupQuestion, 'from' | 'until'>;

async function readSums<Name extends SumName>(
  db: Db,
  question: How,
  piece: Piece,
  names: readonly Name[],
): Promise<(Pick<UsageSums, Name> & { start: number; key: string })[]> {
  const { points, scope = {}, users } = question;
  const { from, key, joined, time = timeOf[piece.grain] } = sourceOf(db, question, piece.grain);
  const conditions: RawBuilder<SqlBool>[] = [sql`${time} >= ${piece.start}`, sql`${time} < ${piece.end}`];
  if (joined) conditions.push(sql`users.id = usage.user_id`);
  if (users && piece.grain === 'day' && !isPostgres(db)) conditions.push(sql`usage.day_start = days.day_start`);
  if (scope.userId !== undefined) conditions.push(sql`usage.user_id = ${scope.userId}`);
  if (scope.tokenId !== undefined) conditions.push(isToken('usage.token_id', scope.tokenId));
  if (scope.channelId !== undefined) conditions.push(sql`usage.channel_id = ${scope.channelId}`);
  if (users) conditions.push(sql`usage.user_id in (${sql.join(users)})`);
  const sums = names.map((name) => sql`sum(usage.${sql.ref(name)}) as ${sql.ref(name)}`);
  const { rows } = await sql<Pick<UsageSums, Name> & { start: number; key: string }>`
    select ${points ? time : sql.lit(piece.start)} as start, cast(${key} as text) as key, ${sql.join(sums)}
    from ${from} where ${sql.join(conditions, sql` and `)}
    group by ${points ? sql`${time}, ${key}` : key}`.execute(db);
  return rows;
}

interface Source {
  from: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  /** Whether the query joins the users table. */
  joined?: boolean;
  time?: RawBuilder<number>;
}

const timeOf = {
  month: sql.ref<number>('usage.month_start'),
  day: sql.ref<number>('usage.day_start'),
  hour: sql.ref<number>('usage.hour'),
};

/** Tables to read. SQLite keeps the order of a cross join, and the first table finds rows of the second by key. */
function sourceOf(db: Db, { by, scope, users }: How, grain: Piece['grain']): Source {
  const isDay = grain === 'day';
  const byUser = sql.table(isDay ? 'usage_days_by_user' : 'usage_by_user');
  const byChannel = sql.table(isDay ? 'usage_days_by_channel' : 'usage_by_channel');
  const byToken = sql.table(isDay ? 'usage_days_by_token' : 'usage_by_token');
  if (by === 'token') return { from: sql`${byToken} as usage`, key: sql`usage.token_id` };
  if (by === 'all')
    return { from: sql`${isDay ? sql.table('usage_days') : byChannel} as usage`, key: sql`cast('' as text)` };
  if (by === 'channel') return { from: sql`${byChannel} as usage`, key: sql`usage.channel_id` };
  if (by === 'model') {
    const table = scope?.userId === undefined ? byChannel : scope.tokenId === undefined ? byUser : byToken;
    return { from: sql`${table} as usage`, key: sql`usage.model_name` };
  }
  if (grain === 'month') return { from: sql`usage_months_of_users as usage`, key: sql`usage.user_id` };
  if (users && !isDay) return { from: sql`${byUser} as usage`, key: sql`usage.user_id` };
  // Some users of each day by the key, because a day has a row of every user. PostgreSQL has an index of users.
  if (users && !isPostgres(db))
    return {
      from: sql`usage_days as days cross join usage_days_of_users as usage`,
      key: sql`usage.user_id`,
      time: sql.ref('days.day_start'),
    };
  const key = by === 'user' ? sql`usage.user_id` : sql`users."group"`;
  if (!isDay) {
    // Ordered by the id of the outer table, so that each user's sums are complete when the next user begins.
    const walked = by === 'user' ? sql`users.id` : key;
    return { from: sql`users cross join usage_by_user as usage`, key: walked, joined: true };
  }
  if (by === 'user') return { from: sql`usage_days_of_users as usage`, key };
  return { from: sql`usage_days_of_users as usage cross join users`, key, joined: true };
}
