/** China has had no daylight saving time since 1991. */
const OFFSET_SECONDS = 8 * 3600;

/** `2026-11-23 18:00:00` in UTC+8, independent of the process's time zone. */
export const beijingText = (seconds: number): string =>
  new Date((seconds + OFFSET_SECONDS) * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** `2026-11-23T18:00:00+08:00` (RFC 3339). */
export const beijingTimestamp = (seconds: number): string => `${beijingText(seconds).replace(' ', 'T')}+08:00`;

/** Unix seconds of a `beijingText`, also with slashes or without seconds; 0 for another form. */
export function secondsOfBeijing(text: string): number {
  const match = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text.trim());
  if (!match) return 0;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
  return Date.UTC(year!, month! - 1, day, hour, minute, second) / 1000 - OFFSET_SECONDS; // the pattern has six groups
}
