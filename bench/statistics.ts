export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value that `percent` percent of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Ignores undefined values; undefined if no value is left. */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : { median: median(known), min: Math.min(...known), max: Math.max(...known) };
}

export function formatSpread({ median: middle, min, max }: Spread, digits: number): string {
  const [text, low, high] = [middle, min, max].map((value) => value.toFixed(digits));
  return low === high ? text! : `${text} (${low}–${high})`;
}
