import type { UsageGroup, UsageGrouping, UsageLoss, UsageReport, UsageSeries, UsageTotals } from '@relay-hub/contract';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { usageBlocks } from '#roll-ups/usage-blocks.ts';
import type { GroupUsage } from '#roll-ups/usage-by-group.ts';
import { usageByGroup, usersRanked } from '#roll-ups/usage-by-group.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { addUsage, COST_UNITS, noUsage } from '#roll-ups/usage-scope.ts';
import type { AnalyticsPeriod, PeriodPoint } from './analytics-period.ts';
import { indexIn } from './analytics-period.ts';
import { GroupNames } from './group-names.ts';
import type { UsageSources } from './usage-question.ts';
import { ranked, sumsByKey, usageOf } from './usage-question.ts';

/** Length of a list of the largest groups. */
const MOST_GROUPS = 10;

export interface UsageQuestion {
  by: UsageGrouping;
  scope: UsageScope;
  period: AnalyticsPeriod;
  /** Groups with a series, per measure. */
  top: number;
}

interface UsageByPoint {
  /** In chronological order. */
  all: readonly (UsageSums & { start: number })[];
  /** At least those that get a series. */
  groups: [key: string, sums: UsageSums][];
  count: number;
  rows: readonly GroupUsage[];
  /** Groups whose costs are above their charges, largest loss first. */
  losing: [key: string, sums: UsageSums][];
}

/** Usage of a period: in total, by group, and compared with the preceding period. */
export async function usageReport(
  sources: UsageSources,
  { by, scope, period, top }: UsageQuestion,
): Promise<UsageReport> {
  const { time_zone, early_minutes, step, points } = period;
  const { db, live } = sources;
  const { all, groups, count, rows, losing } =
    by === 'user' ? await readUsers(sources, period, top) : await readAll(sources, by, scope, period);

  const leaders = leadersOf(groups, top);
  const ranking = groups.filter(([key], rank) => rank < MOST_GROUPS || leaders.has(key));
  const names = new GroupNames(db, by, live.owners);
  await names.meet([...ranking, ...losing].map(([key]) => key));
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const group = ([id, sums]: [string, UsageSums]): UsageGroup => ({
    id,
    name: names.of(id),
    ...totalsOf(sums),
    series: leaders.has(id) ? seriesOf(byKey.get(id) ?? [], points) : null,
  });
  return {
    time_zone,
    early_minutes,
    step,
    points,
    total: { ...totalsOf(sumOf(all)), series: seriesOf(all, points) },
    groups: ranking.map(group),
    group_count: count,
    losses: losing.map(([id, sums]): UsageLoss => ({ id, name: names.of(id), ...totalsOf(sums) })),
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
  const all = by === 'user_group' ? await sent(sources, period) : rows;
  return { all, groups, count: groups.length, rows, losing: losingOf(groups) };
}

/** Users can be many: rank them first, then read points only for those shown. */
async function readUsers(sources: UsageSources, period: AnalyticsPeriod, top: number): Promise<UsageByPoint> {
  const { from, until, points } = period;
  const { byCost, byCount, byTokens, byLoss } = await usersRanked(sources.db, { from, until });
  const most = Math.max(top, MOST_GROUPS);
  const ranks = [byCost.slice(0, most), byCount.slice(0, top), byTokens.slice(0, top)].flat();
  const losers = byLoss.slice(0, MOST_GROUPS);
  const users = [...new Set([...ranks, ...losers])];
  const rows = users.length === 0 ? [] : await usageByGroup(sources.db, { by: 'user', users, from, until, points });
  const groups = ranked(sumsByKey(rows));
  const shown = new Set(ranks.map(String));
  return {
    all: await sent(sources, period),
    groups: groups.filter(([key]) => shown.has(key)),
    count: byCost.length,
    rows,
    losing: losingOf(groups),
  };
}

/**
 * All calls sent to a channel, so that the total does not depend on the grouping. Read after the groups, so that calls
 * arriving in between never make the remainder negative.
 */
const sent = ({ db }: UsageSources, { from, until, points }: AnalyticsPeriod): Promise<GroupUsage[]> =>
  usageByGroup(db, { by: 'all', from, until, points });

const lossOf = ({ cost, costed }: UsageSums): number => cost - costed * COST_UNITS;

const losingOf = (groups: readonly [key: string, sums: UsageSums][]): [key: string, sums: UsageSums][] =>
  groups
    .filter(([, sums]) => lossOf(sums) > 0)
    .toSorted(([, a], [, b]) => lossOf(b) - lossOf(a))
    .slice(0, MOST_GROUPS);

/** Keys of the largest groups by cost, by requests and by tokens: each chart draws those that lead in its measure. */
function leadersOf(groups: readonly [key: string, sums: UsageSums][], top: number): Set<string> {
  const by = (measure: (sums: UsageSums) => number) =>
    groups
      .filter(([, sums]) => measure(sums) > 0)
      .toSorted(([, a], [, b]) => measure(b) - measure(a))
      .slice(0, top);
  const leaders = [
    ...by(({ quota }) => quota),
    ...by(({ request_count: count }) => count),
    ...by(({ prompt_tokens: input, completion_tokens: output }) => input + output),
  ];
  return new Set(leaders.map(([key]) => key));
}

const sumOf = (rows: readonly UsageSums[]): UsageSums => rows.reduce<UsageSums>(addUsage, noUsage);

function totalsOf({ request_count, failed_count, ...sums }: UsageSums): UsageTotals {
  const { quota, prompt_tokens, completion_tokens, cached_tokens, request_time } = sums;
  const { cache_input, cache_read, cache_saved, cost, costed } = sums;
  return {
    requests: request_count,
    failures: failed_count,
    quota,
    prompt_tokens,
    completion_tokens,
    cached_tokens,
    request_time,
    cache_input,
    cache_read,
    cache_saved,
    cost: cost / COST_UNITS,
    costed,
  };
}

function seriesOf(rows: readonly (UsageSums & { start: number })[], points: readonly PeriodPoint[]): UsageSeries {
  const none = () => points.map(() => 0);
  const costs = { cost: none(), costed: none() };
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
    add(costs.cost, at, row.cost);
    add(costs.costed, at, row.costed);
  }
  return { ...series, cost: costs.cost.map((cost) => cost / COST_UNITS), costed: costs.costed };
}

function add(values: number[], at: number, value: number): void {
  values[at] = (values[at] ?? 0) + value;
}
