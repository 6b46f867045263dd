const two = (value: number) => String(value).padStart(2, '0');

/** Unix seconds as local `yyyy-mm-dd`. */
export function formatDate(seconds: number): string {
  const at = new Date(seconds * 1000);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** Unix seconds as local `hh:mm:ss`. */
export function formatTimeOfDay(seconds: number): string {
  const at = new Date(seconds * 1000);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Unix seconds as local `yyyy-mm-dd hh:mm:ss`. */
export const formatDateTime = (seconds: number): string => `${formatDate(seconds)} ${formatTimeOfDay(seconds)}`;

const steps = [
  { unit: 'second', size: 1, below: 60 },
  { unit: 'minute', size: 60, below: 3600 },
  { unit: 'hour', size: 3600, below: 86_400 },
  { unit: 'day', size: 86_400, below: 30 * 86_400 },
] as const;

const ageFormats = new Map<string, Intl.RelativeTimeFormat>();

/** Cached: creating a formatter takes a hundred times as long as using it. */
function ageFormat(language: string, numeric: 'auto' | 'always', style: 'long' | 'short'): Intl.RelativeTimeFormat {
  const key = `${language} ${numeric} ${style}`;
  const format = ageFormats.get(key) ?? new Intl.RelativeTimeFormat(language, { numeric, style });
  ageFormats.set(key, format);
  return format;
}

/** New rows may lie in the future by up to this: the clock here ticks, and differs from the server's. */
const aheadSeconds = 5;

/** "2 min ago", "yesterday"; the date if older than 30 days. */
export function formatAge(seconds: number, now: number, language: string): string {
  const ahead = seconds - now;
  const away = ahead > 0 && ahead <= aheadSeconds ? 0 : ahead;
  const step = steps.find(({ below }) => Math.abs(away) < below);
  if (!step) return formatDate(seconds);
  // "yesterday" and "now" rather than "1 day ago" and "in 0 sec".
  const numeric = step.unit === 'day' || away === 0 ? 'auto' : 'always';
  const format = ageFormat(language, numeric, step.size >= 3600 ? 'long' : 'short');
  return format.format(Math.trunc(away / step.size), step.unit).replace(/\.( |$)/, '$1');
}

/** Remaining seconds as `2:41`, or `1:02:41` from one hour. */
export function formatLeft(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  const tail = `${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
  return left >= 3600 ? `${Math.floor(left / 3600)}:${tail}` : tail.replace(/^0/, '');
}

/** A count of a unit of time: "3 months". */
export const formatUnits = (amount: number, unit: string, language: string, digits = 0): string =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: digits,
  }).format(amount);

/** A duration in its largest fitting unit: "45 sec", "12 min", "3.5 hr". */
export function formatDuration(seconds: number, language: string): string {
  const step = steps.find(({ size }) => Math.round(seconds / size) < 100) ?? steps[3];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: step.unit,
    unitDisplay: 'short',
    maximumFractionDigits: step.size >= 3600 ? 1 : 0,
  }).format(seconds / step.size);
}

/** A forecast in days, rounded to one unit: "9 days", "8 weeks", "5 months". */
export function formatSpan(days: number, language: string): string {
  if (days < 2) return formatUnits(Math.max(1, Math.round(days * 24)), 'hour', language);
  if (days < 21) return formatUnits(Math.round(days), 'day', language);
  if (days < 84) return formatUnits(Math.round(days / 7), 'week', language);
  if (days < 730) return formatUnits(Math.round(days / 30.44), 'month', language);
  return formatUnits(Math.round(days / 365.25), 'year', language);
}

/** The days that `formatSpan` rounds: "55.2 days". */
export const spanInFull = (days: number, language: string): string =>
  formatUnits(days, 'day', language, days < 100 ? 1 : 0);

/** Begin and end without seconds, the end without its date on the same day: `2026-11-29 09:20 – 11:20`. */
export function formatWindow(start: number, end: number): string {
  const [from, until] = [formatDateTime(start).slice(0, 16), formatDateTime(end).slice(0, 16)];
  return `${from} – ${from.slice(0, 10) === until.slice(0, 10) ? until.slice(11) : until}`;
}

const rangeFormats = new Map<string, Intl.DateTimeFormat>();

/**
 * A period between two local dates, times (`2026-11-22T14:00`) or months as its language writes it: "Nov 22 – 28, 2026".
 * Ends can be empty. What is no date is returned as it came.
 */
export function formatDates(from: string, to: string, language: string): string {
  const [start, end] = [dateIn(from), dateIn(to)];
  if (from === to && from === '') return '';
  if (Number.isNaN(start.getTime() + end.getTime())) return from === to ? from : `${from} – ${to}`;
  const finest = Math.max(from.length, to.length);
  const key = `${language} ${Math.min(finest, 16)}`;
  const format =
    rangeFormats.get(key) ??
    new Intl.DateTimeFormat(language, {
      timeZone: 'UTC',
      year: 'numeric',
      month: 'short',
      ...(finest > 7 && { day: 'numeric' }),
      ...(finest > 10 && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    });
  rangeFormats.set(key, format);
  if (from === '') return `– ${format.format(end)}`;
  if (to === '') return `${format.format(start)} –`;
  return format.formatRange(start, end);
}

/** Local times are read as UTC, so that no time zone moves them. */
const dateIn = (local: string): Date =>
  new Date(local === '' ? 0 : local.length > 10 ? `${local.replace(' ', 'T')}Z` : local);

/** Days up to which an axis has weekdays; more would not fit. */
const weekdayLimit = 14;

/** Labels of days (`2026-11-23`) on an axis: "23 Mon" for up to two weeks, "Nov 23" or "11/23" for more. */
export function dayLabels(dates: readonly string[], language: string): string[] {
  const few = dates.length <= weekdayLimit;
  const format = new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    day: 'numeric',
    ...(few ? { weekday: 'short' } : { month: language.startsWith('en') ? 'short' : 'numeric' }),
  });
  return dates.map((date) => format.format(new Date(date)));
}
