import type { UsageGroup, UsageReport, UsageSeries, UsageTotals } from '@relay-hub/contract';
import type { LineSeries } from '#ui/chart/line-chart.tsx';
import { otherColor, otherId, seriesColor, type Point, type Series } from '#ui/chart/series.ts';

/** A group as all charts of the page draw it, with one shared legend. */
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

/** An object with the value of each name. */
const byName = <K extends string, V>(keys: readonly K[], valueOf: (name: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((name) => [name, valueOf(name)])) as Record<K, V>; // one entry per name

/** The groups that have a series, and the remainder as "other". */
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
  // The two queries may see different calls; never below zero.
  const left = (whole: number, parts: readonly number[]) =>
    Math.max(
      0,
      parts.reduce((sum, part) => sum - part, whole),
    );
  const series: UsageSeries = byName(names, (name) =>
    total.series[name].map((whole, at) =>
      left(
        whole,
        shown.map((group) => group.series[name][at] ?? 0),
      ),
    ),
  );
  const totals: UsageTotals = byName(totalNames, (name) =>
    left(
      total[name],
      shown.map((group) => group[name]),
    ),
  );
  return [...shown, { ...totals, id: otherId, label: otherLabel(rest), color: otherColor, series }];
}

/** The value of each group at each point. */
export const seriesOf = (groups: readonly DrawnGroup[], measure: Measure, value: (sum: number) => number): Series[] =>
  groups.map(({ id, label, color, series }) => ({ id, label, color, values: series[measure].map(value) }));

/** Average duration of a call in milliseconds; undefined without calls. */
export const averageOf = (time: number, count: number): number | undefined => (count === 0 ? undefined : time / count);

/** Average duration of each group's calls at each point. */
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

/** Whether the report's last point is not complete yet. */
export const isRunning = ({ points, compared }: Pick<UsageReport, 'points' | 'compared'>): boolean =>
  compared.until < (points.at(-1)?.end ?? 0);

/** The points as chart labels. Dates are in the report's time zone and must not be converted. */
export function pointsOf({ points, step }: Pick<UsageReport, 'points' | 'step'>, language: string): Point[] {
  if (step === 'month') return points.map(({ date }) => ({ label: date }));
  if (step === 'hour') {
    const oneDay = points[0]?.date.slice(0, 10) === points.at(-1)?.date.slice(0, 10);
    return points.map(({ date }) => ({ label: date.slice(oneDay ? 11 : 5), title: date }));
  }
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return points.map(({ date }) => ({ label: date.slice(5), title: `${date} ${weekday.format(new Date(date))}` }));
}
