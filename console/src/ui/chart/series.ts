/** One thing over time; `values[i]` belongs to the i-th point. Missing and unreal values count as zero. */
export interface Series {
  id: string;
  label: string;
  values: readonly number[];
  /** Given where several charts share a legend: the series are then drawn as they come, neither sorted nor folded. */
  color?: string | undefined;
}

/** One place on the time axis. */
export interface Point {
  /** Under the bar: "11-19". */
  label: string;
  /** In tooltip and table: "2026-11-19 Thu". */
  title?: string | undefined;
}

export interface Drawn extends Series {
  color: string;
  total: number;
}

export const otherId = 'other';
const mostSeries = 6;

/** The colour of a rank, from 0. */
export const seriesColor = (rank: number): string => `var(--color-series-${rank + 1})`;
export const otherColor = 'var(--color-series-other)';

const at = (values: readonly number[], index: number) => {
  const value = values[index];
  return value !== undefined && Number.isFinite(value) ? value : 0;
};

/**
 * At most six series by total, largest first, the rest added up as "other". A series keeps its colour for as long as
 * its rank stays. Every value is a number, so that days without data are drawn as zero.
 */
export function fold(series: readonly Series[], points: number, otherLabel: (count: number) => string): Drawn[] {
  const full = series.map(({ id, label, values, color }) => {
    const filled = Array.from({ length: points }, (_, index) => at(values, index));
    return { id, label, values: filled, total: filled.reduce((sum, value) => sum + value, 0), color };
  });
  if (full.some(({ color }) => color !== undefined))
    return full.map((each, index) => ({ ...each, color: each.color ?? seriesColor(index) }));
  const sorted = full.toSorted((a, b) => b.total - a.total);
  const shown = sorted.slice(0, mostSeries).map((each, index) => ({ ...each, color: seriesColor(index) }));
  const rest = sorted.slice(mostSeries);
  if (rest.length === 0) return shown;
  const values = Array.from({ length: points }, (_, index) =>
    rest.reduce((sum, each) => sum + at(each.values, index), 0),
  );
  const total = values.reduce((sum, value) => sum + value, 0);
  return [...shown, { id: otherId, label: otherLabel(rest.length), values, total, color: otherColor }];
}

/** The sum of all series at one point. */
export const sumAt = (drawn: readonly Drawn[], index: number): number =>
  drawn.reduce((sum, each) => sum + at(each.values, index), 0);
