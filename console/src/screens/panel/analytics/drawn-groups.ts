import type { UsageGroup, UsageReport, UsageSeries, UsageTotals } from '@relay-hub/contract';
import type { LineSeries } from '#ui/chart/line-chart.tsx';
import { otherColor, otherId, seriesColor, type Point, type Series } from '#ui/chart/series.ts';

/** A group as every chart of the page draws it: one legend for all. */
export interface DrawnGroup extends UsageTotals {
  id: string;
  label: string;
  color: string;
  series: UsageSeries;
}

type Measure = 'quota' | 'requests' | 'tokens';

const names = ['requests', 'failures', 'quota', 'tokens', 'request_time'] as const satisfies (keyof UsageSeries)[];
const totalNames = [
  'requests',
  'failures',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
] as const satisfies (keyof UsageTotals)[];

/** The groups that have a series, and what is left as "other". */
export function drawnGroups(
  { groups, group_count: count, total }: Pick<UsageReport, 'groups' | 'group_count' | 'total'>,
  labelOf: (group: UsageGroup) => string,
  otherLabel: (count: number) => string,
): DrawnGroup[] {
  const shown = groups.flatMap(({ series, ...group }, rank) =>
    series ? [{ ...group, series, label: labelOf({ ...group, series }), color: seriesColor(rank) }] : [],
  );
  const rest = count - shown.length;
  if (rest <= 0) return shown;
  // Calls may have come in between the two readings, but never make less than nothing.
  const left = (whole: number, parts: readonly number[]) =>
    Math.max(
      0,
      parts.reduce((sum, part) => sum - part, whole),
    );
  const series = Object.fromEntries(
    names.map((name) => [
      name,
      total.series[name].map((whole, at) =>
        left(
          whole,
          shown.map((group) => group.series[name][at] ?? 0),
        ),
      ),
    ]),
  ) as unknown as UsageSeries; // each of its names
  const totals = Object.fromEntries(
    totalNames.map((name) => [
      name,
      left(
        total[name],
        shown.map((group) => group[name]),
      ),
    ]),
  ) as unknown as UsageTotals; // each of its names
  return [...shown, { ...totals, id: otherId, label: otherLabel(rest), color: otherColor, series }];
}

/** What each group had at each point. */
export const seriesOf = (groups: readonly DrawnGroup[], measure: Measure, value: (sum: number) => number): Series[] =>
  groups.map(({ id, label, color, series }) => ({ id, label, color, values: series[measure].map(value) }));

/** Milliseconds that a call took, on average; undefined without calls. */
export const averageOf = (time: number, count: number): number | undefined => (count === 0 ? undefined : time / count);

/** How long calls of each group took, on average, at each point. */
export const latencyOf = (groups: readonly DrawnGroup[]): LineSeries[] =>
  groups.map(({ id, label, color, series, request_time: time, requests }) => ({
    id,
    label,
    color,
    values: averages(series),
    whole: averageOf(time, requests),
  }));

export const averages = ({ request_time, requests }: UsageSeries): (number | undefined)[] =>
  request_time.map((time, at) => averageOf(time, requests[at] ?? 0));

/** Whether the last point of a report is not complete yet. */
export const isRunning = ({ points, compared }: Pick<UsageReport, 'points' | 'compared'>): boolean =>
  compared.until < (points.at(-1)?.end ?? 0);

/** The points as charts name them. Dates are of the zone of the report, so they are told as they come. */
export function pointsOf({ points, step }: Pick<UsageReport, 'points' | 'step'>, language: string): Point[] {
  if (step === 'month') return points.map(({ date }) => ({ label: date }));
  if (step === 'hour') {
    const oneDay = points[0]?.date.slice(0, 10) === points.at(-1)?.date.slice(0, 10);
    return points.map(({ date }) => ({ label: date.slice(oneDay ? 11 : 5), title: date }));
  }
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return points.map(({ date }) => ({ label: date.slice(5), title: `${date} ${weekday.format(new Date(date))}` }));
}
