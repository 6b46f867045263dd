const formats = new Map<string, Intl.NumberFormat>();
const steps = [
  { from: 1e9, unit: 'B' },
  { from: 1e6, unit: 'M' },
  { from: 1e4, unit: 'k' },
] as const;
const unitSize = { B: 1e9, M: 1e6, k: 1e3 };

/** Cached: creating a formatter takes a hundred times as long as using it, and a table has hundreds of numbers. */
function formatOf(least: number, most: number): Intl.NumberFormat {
  const key = `${least} ${most}`;
  const made = formats.get(key);
  if (made) return made;
  // All four languages of the console write numbers as 12,345.6.
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: least, maximumFractionDigits: most });
  formats.set(key, format);
  return format;
}

/** The minus sign on screens: as wide as the plus, and no line break after it as after a hyphen. */
export const minus = '−';

/** `-12.5` → `−12.5`, for screens; files keep the hyphen. */
export const withMinus = (text: string): string => text.replace('-', minus);

const written = (value: number, least: number, most: number): string => withMinus(formatOf(least, most).format(value));

/** `65120` → `65,120`. */
export const formatWhole = (value: number): string => written(value, 0, 0);

/** With exactly `digits` decimals: `1.5` → `1.50`. */
export const formatFixed = (value: number, digits: number): string => written(value, digits, digits);

/** With as many decimals as needed, at most `digits`: `1.875` → `1.875`, `2` → `2`. */
export const formatPlain = (value: number, digits = 6): string => written(value, 0, digits);

/** `9999` → `9,999`, from 1e4 with one decimal: `65120` → `65.1k`, `48.2M`, `1.0B`. */
export function abbreviate(value: number): string {
  const size = Math.abs(value);
  // Round first: otherwise 999,960 becomes 1000.0k.
  const step = steps.find(
    ({ from, unit }) => size >= from || (unit !== 'k' && Number((size / unitSize[unit]).toFixed(4)) >= 1),
  );
  if (!step) return formatPlain(value, 2);
  return `${formatFixed(value / unitSize[step.unit], 1)}${step.unit}`;
}

/** A share (0 to 1) in percent: `0.9998` → `99.98%`, `1` → `100%`. */
export function formatPercent(share: number, digits = 2): string {
  return `${formatPlain(share * 100, digits)}%`;
}

/** A success rate: as `formatPercent`, but only 1 is `100%`. */
export const formatRate = (share: number, digits = 2): string =>
  formatPercent(share < 1 ? Math.min(share, 1 - 10 ** -(digits + 2)) : share, digits);

/** Below this number of calls, screens show counts instead of percentages, quantiles and their colours. */
export const fewCalls = 20;

/** Milliseconds of a quantile, which is an estimate, as seconds with two significant digits: `3120` → `3.1 s`. */
export function formatQuantile(ms: number): string {
  const seconds = Number((ms / 1000).toPrecision(2));
  return `${formatFixed(seconds, seconds >= 10 ? 0 : seconds >= 1 ? 1 : seconds >= 0.1 || seconds === 0 ? 2 : 3)} s`;
}

/** Milliseconds as seconds: `842` → `0.84 s`; `undefined` → undefined. */
export const formatSeconds = (ms: number): string => `${formatFixed(ms / 1000, ms >= 100_000 ? 0 : 2)} s`;
