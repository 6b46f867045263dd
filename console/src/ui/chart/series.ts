/** Values over time; `values[i]` belongs to the i-th point. Missing and non-finite values count as zero. */
export interface Series {
  id: string;
  label: string;
  values: readonly number[];
  /** Set when a series has one colour in several charts: series are then neither sorted nor folded into "other". */
  color?: string | undefined;
}

/** One point on the time axis. */
export interface Point {
  /** Label on the axis: "11-19". */
  label: string;
  /** Label in tooltip and table: "2026-11-19 Thu". */
  title?: string | undefined;
}

export interface DrawnSeries extends Series {
  color: string;
  total: number;
}

export const otherId = 'other';
/** Series of a chart, and of one that shows more. */
export const fewSeries = 6;
export const moreSeries = 12;

/** Colour of a rank, starting at 0; from the seventh on, the same hues are paler. */
export function seriesColor(rank: number): string {
  const hue = `var(--color-series-${(rank % fewSeries) + 1})`;
  return rank % moreSeries < fewSeries ? hue : `color-mix(in oklab, ${hue} 50%, var(--color-card))`;
}
export const otherColor = 'var(--color-series-other)';

const at = (values: readonly number[], index: number) => {
  const value = values[index];
  return value !== undefined && Number.isFinite(value) ? value : 0;
};

/**
 * The largest series by total, largest first, and the sum of the rest as "other". A series keeps its colour while
 * its rank does not change. All values are finite: days without data are zero.
 */
export function fold(
  series: readonly Series[],
  points: number,
  otherLabel: (count: number) => string,
  most = fewSeries,
): DrawnSeries[] {
  const full = series.map(({ id, label, values, color }) => {
    const filled = Array.from({ length: points }, (_, index) => at(values, index));
    return { id, label, values: filled, total: filled.reduce((sum, value) => sum + value, 0), color };
  });
  if (full.some(({ color }) => color !== undefined))
    return full.map((each, index) => ({ ...each, color: each.color ?? seriesColor(index) }));
  const sorted = full.toSorted((a, b) => b.total - a.total);
  const shown = sorted.slice(0, most).map((each, index) => ({ ...each, color: seriesColor(index) }));
  const rest = sorted.slice(most);
  if (rest.length === 0) return shown;
  const values = Array.from({ length: points }, (_, index) =>
    rest.reduce((sum, each) => sum + at(each.values, index), 0),
  );
  const total = values.reduce((sum, value) => sum + value, 0);
  return [...shown, { id: otherId, label: otherLabel(rest.length), values, total, color: otherColor }];
}

/** The sum of all series at one point. */
export const sumAt = (drawn: readonly DrawnSeries[], index: number): number =>
  drawn.reduce((sum, each) => sum + at(each.values, index), 0);
