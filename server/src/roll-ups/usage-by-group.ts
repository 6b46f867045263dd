import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Db, UsageSums } from '#db/tables.ts';
import { gapsBetween } from './usage-blocks.ts';
import type { UsageScope } from './usage-scope.ts';
import { HOUR_S, sumNames } from './usage-scope.ts';

/** What roll-ups tell calls apart by; a user's group is the one that he is in now. */
export type GroupKey = 'model' | 'channel' | 'user' | 'user_group';

export interface GroupUsage extends UsageSums {
  /** Where the day or hour begins, or else the stretch that was read at once. */
  start: number;
  key: string;
}

export interface GroupQuestion {
  by: GroupKey;
  /** With a user, or a channel, only models can be told apart. */
  scope?: UsageScope;
  from: number;
  until: number;
  /** In order, without gaps: each row is then within one of them. Else there are a few rows for each key. */
  points?: readonly Stretch[] | undefined;
  /** Only these users, by user. */
  users?: readonly number[];
}

/** Whole hours, the end exclusive. */
interface Stretch {
  start: number;
  end: number;
}

/** So much is read at once, so that whoever else reads is not held up for long. */
const DAYS_AT_ONCE_S = 31 * 24 * HOUR_S;
const HOURS_AT_ONCE_S = 4 * 24 * HOUR_S;

/** What calls from one whole hour up to another came to, told apart; from sums of days as far as there are. */
export async function usageByGroup(db: Db, question: GroupQuestion): Promise<GroupUsage[]> {
  const rows: GroupUsage[] = [];
  for (const piece of await piecesOf(db, question)) rows.push(...(await readSums(db, question, piece, sumNames)));
  return rows;
}

interface Piece extends Stretch {
  grain: 'day' | 'hour';
}

async function piecesOf(
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
  // A day that was cut in another time zone may be of two points; its hours tell which is whose.
  const days = points ? within(sealed, points) : sealed;
  return [
    ...runsOf(days).flatMap((run) => cut({ grain: 'day', ...run }, DAYS_AT_ONCE_S)),
    ...gapsBetween(days, from, until).flatMap((gap) => cut({ grain: 'hour', ...gap }, HOURS_AT_ONCE_S)),
  ];
}

/** Those stretches that are each within one point; both are in order. */
function within(stretches: readonly Stretch[], points: readonly Stretch[]): Stretch[] {
  let at = 0;
  return stretches.filter(({ start, end }) => {
    while (points[at] && points[at]!.end <= start) at++; // checked just before
    const point = points[at];
    return point !== undefined && point.start <= start && end <= point.end;
  });
}

/** Days that follow one another as one stretch. A day that is just being summed up is in none of them. */
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

/** Whoever called from one whole hour up to another, by what it cost, the dearest first; of equal ones who called more. */
export async function usersByCost(db: Db, { from, until }: { from: number; until: number }): Promise<number[]> {
  const found = new Map<number, { quota: number; count: number }>();
  // Two sums of everybody: to add up all seven takes three times as long.
  const names = ['quota', 'request_count'] as const;
  for (const piece of await piecesOf(db, { from, until }))
    for (const { key, quota, request_count: count } of await readSums(db, { by: 'user' }, piece, names)) {
      const before = found.get(Number(key));
      found.set(Number(key), { quota: quota + (before?.quota ?? 0), count: count + (before?.count ?? 0) });
    }
  return [...found]
    .toSorted(([a, x], [b, y]) => y.quota - x.quota || y.count - x.count || a - b)
    .map(([userId]) => userId);
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
  const time = sql.ref<number>(piece.grain === 'day' ? 'usage.day_start' : 'usage.hour');
  const { from, key, joined } = sourceOf(question, piece.grain);
  const conditions: RawBuilder<SqlBool>[] = [sql`${time} >= ${piece.start}`, sql`${time} < ${piece.end}`];
  if (joined) conditions.push(sql`users.id = usage.user_id`);
  if (scope.userId !== undefined) conditions.push(sql`usage.user_id = ${scope.userId}`);
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
  /** With the users. */
  joined?: boolean;
}

/** Where the rows are. SQLite keeps to the order of a cross join: the first finds the second by its key. */
function sourceOf({ by, scope, users }: How, grain: Piece['grain']): Source {
  const isDay = grain === 'day';
  const byUser = sql.table(isDay ? 'usage_days_by_user' : 'usage_by_user');
  const byChannel = sql.table(isDay ? 'usage_days_by_channel' : 'usage_by_channel');
  if (by === 'channel') return { from: sql`${byChannel} as usage`, key: sql`usage.channel_id` };
  if (by === 'model') {
    const table = scope?.userId === undefined ? byChannel : byUser;
    return { from: sql`${table} as usage`, key: sql`usage.model_name` };
  }
  if (users) return { from: sql`${byUser} as usage`, key: sql`usage.user_id` };
  const key = by === 'user' ? sql`usage.user_id` : sql`users."group"`;
  if (!isDay) {
    // By the id of the table that is walked through, so that each user's sums are ready when the next one comes.
    const walked = by === 'user' ? sql`users.id` : key;
    return { from: sql`users cross join usage_by_user as usage`, key: walked, joined: true };
  }
  if (by === 'user') return { from: sql`usage_days_of_users as usage`, key };
  return { from: sql`usage_days_of_users as usage cross join users`, key, joined: true };
}
