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
  /** Date in downloads and their names: "2026-11-19", "2026-11-19 14:00" or "2026-11". */
  date?: string | undefined;
}

export interface DrawnSeries extends Series {
  color: string;
  total: number;
}

export const otherId = 'other';
export const otherColor = 'var(--color-series-other)';
/** Distinct colours, and so the most series of a chart without "other". */
export const mostSeries = 12;
/** Hues of the largest series, which differ for all kinds of colour vision. */
const strongHues = 6;
/** A chart draws at least these series, and more until they are most of the total. */
const leastSeries = 6;
const drawnShare = 0.9;

/** Number of the largest values, sorted, that a chart draws: at least six, and more until they are 90 % of `total`. */
export function leadersIn(values: readonly number[], total: number): number {
  const most = Math.min(values.length, mostSeries);
  let [count, sum] = [0, 0];
  while (count < most && (count < leastSeries || sum < total * drawnShare)) sum += values[count++] ?? 0;
  return count;
}

/**
 * A colour for each of at most twelve ids, largest first; no two are equal. An id prefers the same colour in every
 * list, so that it rarely changes with rank, period and page.
 */
export function colorsOf(ids: readonly string[]): Map<string, string> {
  const strong = ids.slice(0, strongHues);
  const weak = ids.slice(strongHues, mostSeries);
  return new Map([...inSlots(strong, 0, strongHues), ...inSlots(weak, strongHues, mostSeries - strongHues)]);
}

function inSlots(ids: readonly string[], first: number, count: number): [string, string][] {
  const taken = new Set<number>();
  // Sorted: two ids that prefer the same colour get theirs whichever is larger.
  return ids.toSorted().map((id) => {
    let slot = hash(id) % count;
    while (taken.has(slot)) slot = (slot + 1) % count;
    taken.add(slot);
    return [id, `var(--color-series-${first + slot + 1})`];
  });
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return value;
}

const at = (values: readonly number[], index: number) => {
  const value = values[index];
  return value !== undefined && Number.isFinite(value) ? value : 0;
};

/**
 * The largest series by total, largest first, and the sum of the rest as "other". All values are finite: days without
 * data are zero.
 */
export function fold(series: readonly Series[], points: number, otherLabel: (count: number) => string): DrawnSeries[] {
  const full = series.map(({ id, label, values, color }) => {
    const filled = Array.from({ length: points }, (_, index) => at(values, index));
    return { id, label, values: filled, total: filled.reduce((sum, value) => sum + value, 0), color };
  });
  if (full.some(({ color }) => color !== undefined))
    return full.map((each) => ({ ...each, color: each.color ?? otherColor }));
  const sorted = full.toSorted((a, b) => b.total - a.total);
  const totals = sorted.map(({ total }) => total);
  const count = leadersIn(
    totals,
    totals.reduce((sum, total) => sum + total, 0),
  );
  const leaders = sorted.slice(0, count);
  const colors = colorsOf(leaders.map(({ id }) => id));
  const shown = leaders.map((each) => ({ ...each, color: colors.get(each.id) ?? otherColor }));
  const rest = sorted.slice(count);
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
