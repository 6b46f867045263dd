import { hourOf, HOUR_S } from './usage-scope.ts';

/**
 * Days run from midnight to midnight in the server's time zone. Roll-ups have whole hours (UTC), so in zones with a
 * half-hour offset a day begins with the hour that contains its midnight.
 */

/** Start of the day that contains a whole hour. */
export function dayStart(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** Start of the next day. */
export function dayEnd(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setHours(24, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** `YYYY-MM-DD` of the day that contains a whole hour. */
export function dateOf(hour: number): string {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Start of the day `days` days before the day of `now`; 0 for today, -1 for tomorrow. */
export function dayAgo(now: number, days: number): number {
  const date = new Date(now * 1000);
  // Change the date first: a zone can skip midnight today (DST) and have it on the other day.
  date.setDate(date.getDate() - days);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** Start of the month that contains a whole hour. */
export function monthStart(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setDate(1);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** Start of the next month. */
export function monthEnd(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setDate(1);
  date.setMonth(date.getMonth() + 1);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}
