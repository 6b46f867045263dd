import type { UsageGroup, UsageReport } from '@relay-hub/contract';
import { colorsOf, leadersIn, mostSeries, otherColor, otherId, type Point, type Series } from '#ui/chart/series.ts';
import { dayLabels } from '#ui/format/time.ts';

/** Measure of a chart, which draws the groups that lead in it. */
export type ChartMeasure = 'quota' | 'requests' | 'tokens';
const measures = ['quota', 'requests', 'tokens'] as const satisfies ChartMeasure[];

type Report = Pick<UsageReport, 'groups' | 'group_count' | 'total'>;
type Totals = Pick<UsageGroup, 'quota' | 'requests' | 'prompt_tokens' | 'completion_tokens'>;

/** A sum over the period. */
export const totalOf = (totals: Totals, measure: ChartMeasure): number =>
  measure === 'tokens' ? totals.prompt_tokens + totals.completion_tokens : totals[measure];

/** The largest groups by a measure that are needed for most of its total. */
function leadersOf(
  { groups, total }: Report,
  measure: ChartMeasure,
  among?: ReadonlyMap<string, string>,
): UsageGroup[] {
  const sorted = groups
    .filter((group) => group.series !== null && totalOf(group, measure) > 0 && (among?.has(group.id) ?? true))
    .toSorted((a, b) => totalOf(b, measure) - totalOf(a, measure));
  const sums = sorted.map((group) => totalOf(group, measure));
  return sorted.slice(0, leadersIn(sums, totalOf(total, measure)));
}

/**
 * Colours by id of the groups that charts draw: those that lead in any measure, as many as there are colours. So a
 * group has one colour on the page, and no two groups have the same one.
 */
export function groupColors(report: Report): Map<string, string> {
  const lists = measures.map((measure) => leadersOf(report, measure));
  const byRank = Array.from({ length: mostSeries }, (_, rank) => lists.flatMap((list) => list.slice(rank, rank + 1)));
  return colorsOf([...new Set(byRank.flat().map(({ id }) => id))].slice(0, mostSeries));
}

export interface Drawing {
  measure: ChartMeasure;
  colors: ReadonlyMap<string, string>;
  labelOf: (group: UsageGroup) => string;
  otherLabel: (count: number) => string;
  /** Converts a sum into the value that is drawn. */
  value: (sum: number) => number;
}

/** The series of a chart: the groups that lead in its measure, and the sum of the others. */
export function seriesOf(report: Report, drawing: Drawing): Series[] {
  const { measure, colors, labelOf, otherLabel, value } = drawing;
  const leaders = leadersOf(report, measure, colors);
  const series = leaders.map((group) => ({
    id: group.id,
    label: labelOf(group),
    color: colors.get(group.id),
    values: (group.series?.[measure] ?? []).map(value),
  }));
  const rest = report.group_count - leaders.length;
  // Two queries may see different calls; never below zero.
  const values = report.total.series[measure].map((whole, at) =>
    Math.max(
      0,
      leaders.reduce((sum, group) => sum - (group.series?.[measure][at] ?? 0), whole),
    ),
  );
  if (rest <= 0 || values.every((each) => each === 0)) return series;
  return [...series, { id: otherId, label: otherLabel(rest), color: otherColor, values: values.map(value) }];
}

/** Whether the report's last point is not complete yet. */
export const isRunning = ({ points, compared }: Pick<UsageReport, 'points' | 'compared'>): boolean =>
  compared.until < (points.at(-1)?.end ?? 0);

/** The points as chart labels. Dates are in the report's time zone and must not be converted. */
export function pointsOf({ points, step }: Pick<UsageReport, 'points' | 'step'>, language: string): Point[] {
  if (step === 'month') return points.map(({ date }) => ({ label: date, date }));
  if (step === 'hour') {
    const oneDay = points[0]?.date.slice(0, 10) === points.at(-1)?.date.slice(0, 10);
    return points.map(({ date }) => ({ label: date.slice(oneDay ? 11 : 5), title: date, date }));
  }
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const labels = dayLabels(
    points.map(({ date }) => date),
    language,
  );
  return points.map(({ date }, at) => ({
    label: labels[at] ?? date,
    title: `${date} ${weekday.format(new Date(date))}`,
    date,
  }));
}
