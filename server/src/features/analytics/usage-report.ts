import type { UsageGroup, UsageGrouping, UsageReport, UsageSeries, UsageTotals } from '@relay-hub/contract';
import type { UsageSums } from '#db/tables.ts';
import { usageBlocks } from '#roll-ups/usage-blocks.ts';
import type { GroupUsage } from '#roll-ups/usage-by-group.ts';
import { usageByGroup, usersByCost } from '#roll-ups/usage-by-group.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { addUsage, noUsage } from '#roll-ups/usage-scope.ts';
import type { AnalyticsPeriod, PeriodPoint } from './analytics-period.ts';
import { indexIn } from './analytics-period.ts';
import { GroupNames } from './group-names.ts';
import type { UsageSources } from './usage-question.ts';
import { ranked, sumsByKey, usageOf } from './usage-question.ts';

/** Number of groups that a chart can distinguish. */
const WITH_SERIES = 6;
const MOST_GROUPS = 10;

interface UsageByPoint {
  /** In chronological order. */
  all: readonly (UsageSums & { start: number })[];
  /** At least those that get a series. */
  groups: [key: string, sums: UsageSums][];
  count: number;
  rows: readonly GroupUsage[];
}

/** Usage of a period: in total, by group, and compared with the preceding period. */
export async function usageReport(
  sources: UsageSources,
  { by, scope, period }: { by: UsageGrouping; scope: UsageScope; period: AnalyticsPeriod },
): Promise<UsageReport> {
  const { time_zone, step, points } = period;
  const { db, live } = sources;
  const { all, groups, count, rows } =
    by === 'user' ? await readUsers(sources, period) : await readAll(sources, by, scope, period);

  const ranking = groups.slice(0, MOST_GROUPS);
  const names = new GroupNames(db, by, live.owners);
  await names.meet(ranking.map(([key]) => key));
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const group = ([id, sums]: [string, UsageSums], rank: number): UsageGroup => ({
    id,
    name: names.of(id),
    ...totalsOf(sums),
    series: rank < WITH_SERIES ? seriesOf(byKey.get(id) ?? [], points) : null,
  });
  return {
    time_zone,
    step,
    points,
    total: { ...totalsOf(sumOf(all)), series: seriesOf(all, points) },
    groups: ranking.map(group),
    group_count: count,
    compared: {
      until: period.over,
      now: totalsOf(sumOf(await usageBlocks(db, scope, period.from, period.over))),
      before: totalsOf(sumOf(await usageBlocks(db, scope, period.before.from, period.before.until))),
    },
  };
}

/** Groups are few, so everything is read at once, per point. */
async function readAll(
  sources: UsageSources,
  by: UsageGrouping,
  scope: UsageScope,
  period: AnalyticsPeriod,
): Promise<UsageByPoint> {
  const { from, until, points } = period;
  const rows = await usageOf(sources, { by, scope, from, until, points });
  const groups = ranked(sumsByKey(rows));
  return { all: by === 'user_group' ? await sent(sources, period) : rows, groups, count: groups.length, rows };
}

/** Users can be many: rank them first, then read points only for those shown. */
async function readUsers(sources: UsageSources, period: AnalyticsPeriod): Promise<UsageByPoint> {
  const { from, until, points } = period;
  const everybody = await usersByCost(sources.db, { from, until });
  const users = everybody.slice(0, MOST_GROUPS);
  const rows = users.length === 0 ? [] : await usageByGroup(sources.db, { by: 'user', users, from, until, points });
  return { all: await sent(sources, period), groups: ranked(sumsByKey(rows)), count: everybody.length, rows };
}

/**
 * All calls sent to a channel, so that the total does not depend on the grouping. Read after the groups, so that calls
 * arriving in between never make the remainder negative.
 */
const sent = ({ db }: UsageSources, { from, until, points }: AnalyticsPeriod): Promise<GroupUsage[]> =>
  usageByGroup(db, { by: 'model', from, until, points });

const sumOf = (rows: readonly UsageSums[]): UsageSums => rows.reduce<UsageSums>(addUsage, noUsage);

function totalsOf({ request_count, failed_count, ...sums }: UsageSums): UsageTotals {
  const { quota, prompt_tokens, completion_tokens, cached_tokens, request_time } = sums;
  return {
    requests: request_count,
    failures: failed_count,
    quota,
    prompt_tokens,
    completion_tokens,
    cached_tokens,
    request_time,
  };
}

function seriesOf(rows: readonly (UsageSums & { start: number })[], points: readonly PeriodPoint[]): UsageSeries {
  const none = () => points.map(() => 0);
  const series = { requests: none(), failures: none(), quota: none(), tokens: none(), request_time: none() };
  const indexOf = indexIn(points);
  for (const row of rows) {
    const at = indexOf(row.start);
    if (at < 0) continue;
    add(series.requests, at, row.request_count);
    add(series.failures, at, row.failed_count);
    add(series.quota, at, row.quota);
    add(series.tokens, at, row.prompt_tokens + row.completion_tokens);
    add(series.request_time, at, row.request_time);
  }
  return series;
}

function add(values: number[], at: number, value: number): void {
  values[at] = (values[at] ?? 0) + value;
}
