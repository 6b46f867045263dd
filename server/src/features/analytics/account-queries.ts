import type { AccountsReport, ChannelTrouble, Statistics } from '@relay-hub/contract';
import { redemptionStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { troubledChannels, type TroubleDeps } from '#features/channel/troubled-channels.ts';
import type { AnalyticsPeriod, PeriodPoint } from './analytics-period.ts';

export interface Registered {
  count: number;
  /** Of these, how many were invited. */
  invited: number;
}

/** Number of existing accounts created in each interval. */
export async function registrationsIn(db: Db, stretches: readonly PeriodPoint[]): Promise<Registered[]> {
  if (stretches.length === 0) return [];
  // Uses the index of migration 0008.
  const { rows } = await sql<Registered & { n: number }>`
    with stretches (n, first, until) as (values ${valuesOf(stretches)})
    select n, count(users.id) as count, count(users.inviter_id) as invited
    from stretches left join users on created_time >= first and created_time < until and deleted_time is null and kind = 'person'
    group by n`.execute(db);
  return inOrder(rows, stretches, { count: 0, invited: 0 }, ({ count, invited }) => ({ count, invited }));
}

export interface Redeemed {
  count: number;
  quota: number;
  /** Distinct users. */
  users: number;
}

/** Redemptions in each interval, including codes deleted since. */
export async function redemptionsIn(db: Db, stretches: readonly PeriodPoint[]): Promise<Redeemed[]> {
  if (stretches.length === 0) return [];
  // An index-only query: the condition repeats that of the index of migration 0005 literally.
  const { rows } = await sql<Redeemed & { n: number }>`
    with stretches (n, first, until) as (values ${valuesOf(stretches)})
    select n, count(redeemed_user_id) as count, coalesce(sum(quota), 0) as quota, count(distinct redeemed_user_id) as users
    from stretches left join redemptions on redeemed_time > 0 and redeemed_time >= first and redeemed_time < until
    group by n`.execute(db);
  return inOrder(rows, stretches, { count: 0, quota: 0, users: 0 }, ({ count, quota, users }) => ({
    count,
    quota,
    users,
  }));
}

const valuesOf = (stretches: readonly PeriodPoint[]) =>
  sql.join(stretches.map(({ start, end }, n) => sql`(${sql.lit(n)}, ${sql.lit(start)}, ${sql.lit(end)})`));

function inOrder<Row extends { n: number }, T>(
  rows: readonly Row[],
  intervals: readonly unknown[],
  none: T,
  read: (row: Row) => T,
): T[] {
  const byPlace = new Map(rows.map((row) => [row.n, row]));
  return intervals.map((_, n) => {
    const row = byPlace.get(n);
    return row ? read(row) : none;
  });
}

/** Registrations and redemptions of a period, per point. */
export async function accountsReport(
  db: Db,
  { time_zone, early_minutes, step, points, from, until }: AnalyticsPeriod,
): Promise<AccountsReport> {
  const registered = await registrationsIn(db, points);
  const redeemed = await redemptionsIn(db, points);
  const [whole = { count: 0, quota: 0, users: 0 }] = await redemptionsIn(db, [{ date: '', start: from, end: until }]);
  return {
    time_zone,
    early_minutes,
    step,
    points: [...points],
    registrations: registered.map(({ count }) => count),
    invited: registered.map(({ invited }) => invited),
    redemptions: {
      count: redeemed.map(({ count }) => count),
      quota: redeemed.map(({ quota }) => quota),
      users: redeemed.map(({ users }) => users),
    },
    redeemed: whole,
  };
}

/** All-time totals; deleted accounts, channels and codes are left out. */
export async function statistics(db: Db, watching: TroubleDeps): Promise<Statistics> {
  const users = await db
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .select(({ fn }) => fn.count<number>('inviter_id').as('invited'))
    // Balances are those of teams, too.
    .select(sql<number>`coalesce(sum(case when kind = 'person' then 1 else 0 end), 0)`.as('count'))
    .select([sumOf('quota + held').as('left'), sumOf('used_quota').as('used')])
    .executeTakeFirstOrThrow();
  const channels = await db.selectFrom('channels').where('deleted_time', 'is', null).select(['id', 'status']).execute();
  const codes = await db
    .selectFrom('redemptions')
    .where('deleted_time', 'is', null)
    .where('status', '<>', redemptionStatus.disabled)
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .select(sumOf('quota').as('quota'))
    .groupBy('status')
    .orderBy('status')
    .execute();
  const byStatus = [...Map.groupBy(channels, ({ status }) => status)].toSorted(([a], [b]) => a - b);
  const troubles = [...(await troubledChannels(db, watching)).values()];
  const inTrouble = (trouble: ChannelTrouble['kind']) => troubles.filter(({ kind }) => kind === trouble).length;
  return {
    user_statistics: {
      total_quota: countable(users.left),
      total_used_quota: countable(users.used),
      total_user: users.count,
      total_inviter_user: users.invited,
    },
    channel_statistics: byStatus.map(([status, some]) => ({ total_channels: some.length, status })),
    frozen_channels: inTrouble('frozen'),
    failing_channels: inTrouble('failing'),
    redemption_statistic: codes.map(({ status, count, quota }) => ({ count, quota: countable(quota), status })),
    order_statistics: [],
  };
}

/** As decimals, because a sum beyond the safe integer range must not fail the page. */
const sumOf = (column: string) => sql<number>`coalesce(sum(cast(${sql.raw(column)} as double precision)), 0)`;
const countable = (sum: number): number => Math.min(sum, Number.MAX_SAFE_INTEGER);
