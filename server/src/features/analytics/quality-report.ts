import type { QualityReport, SpeedQuantiles, SpeedSeries } from '@relay-hub/contract';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { failuresOf, refusalsOf } from '#roll-ups/failures.ts';
import type { Speed } from '#roll-ups/speeds.ts';
import { speedCounts, speedIn, speedOf, speedsSince } from '#roll-ups/speeds.ts';
import { usersRanked } from '#roll-ups/usage-by-group.ts';
import { indexIn } from './analytics-period.ts';
import { GroupNames } from './group-names.ts';
import type { UsageSources } from './usage-question.ts';
import { baseOf, rekeyed, sumsByKey, usageOf } from './usage-question.ts';
import type { UsageQuestion } from './usage-report.ts';

const MOST_GROUPS = 12;

/** Speed and failures of a period: in total and by point, by group, and compared with the preceding period. */
export async function qualityReport(sources: UsageSources, question: UsageQuestion): Promise<QualityReport> {
  const { db, live } = sources;
  const { by, scope, period } = question;
  const { time_zone, early_minutes, step, points, from, until, over, before } = period;
  const counts = await speedCounts(db, { scope, from, until, points });
  const now = await speedOf(db, scope, from, over);
  const earlier = await speedOf(db, scope, before.from, before.until);
  const whole = speedIn(counts);
  const indexOf = indexIn(points);
  const byPoint = Map.groupBy(counts, ({ start }) => indexOf(start));
  const parts = points.map((_, at) => speedIn(byPoint.get(at) ?? []));
  const series = (measure: keyof Speed): SpeedSeries => ({
    ...whole[measure],
    series: {
      calls: parts.map((part) => part[measure].calls),
      p50: parts.map((part) => part[measure].p50),
      p95: parts.map((part) => part[measure].p95),
    },
    now: now[measure],
    before: earlier[measure],
  });
  const { groups, speeds } = await groupsOf(sources, question);
  const names = new GroupNames(db, by, live.owners);
  await names.meet(groups.map(([key]) => key));
  const failures = await failuresOf(db, scope, from, until);
  return {
    time_zone,
    early_minutes,
    step,
    points,
    since: await speedsSince(db),
    duration: series('duration'),
    first_token: series('first_token'),
    groups: groups.map(([id, sums]) => ({
      id,
      name: names.of(id),
      requests: sums.request_count,
      failures: sums.failed_count,
      ...(speeds.get(id) ?? { duration: nothing, first_token: nothing }),
    })),
    failures: failures.toSorted((a, b) => b.calls - a.calls || (a.model < b.model ? -1 : 1)),
    refusals: await refusalsOf(db, scope, from, until),
  };
}

const nothing: SpeedQuantiles = { calls: 0, p50: null, p95: null, p99: null };

interface Groups {
  groups: [key: string, sums: UsageSums][];
  speeds: ReadonlyMap<string, Speed>;
}

/** The groups with the most requests, and their speed. */
async function groupsOf(sources: UsageSources, { by, scope, period }: UsageQuestion): Promise<Groups> {
  const { db } = sources;
  const { from, until } = period;
  // Users can be many: only those that are shown are read.
  const users = by === 'user' ? (await usersRanked(db, { from, until })).byCount.slice(0, MOST_GROUPS) : undefined;
  if (users?.length === 0) return { groups: [], speeds: new Map() };
  const only = users && { users };
  const sums = sumsByKey(await usageOf(sources, { by, scope, from, until, ...only }));
  const groups = [...sums]
    .toSorted(([a, x], [b, y]) => y.request_count - x.request_count || (a < b ? -1 : 1))
    .slice(0, MOST_GROUPS);
  const keyed = await rekeyed(sources, by, await speedCounts(db, { by: baseOf(by), scope, from, until, ...only }));
  const speeds = new Map<string, Speed>();
  for (const [key, some] of Map.groupBy(keyed, ({ key: name }) => name)) speeds.set(key, speedIn(some));
  return { groups, speeds };
}
