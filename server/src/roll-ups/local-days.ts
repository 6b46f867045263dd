import { hourOf, HOUR_S } from './usage-scope.ts';

/**
 * Days are those of the server's time zone, from midnight to midnight. Roll-ups know whole hours (UTC), so in zones
 * that are half an hour apart a day begins with the hour that its midnight is in.
 */

/** Where the day begins that a whole hour belongs to. */
export function dayStart(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** Where the next day begins. */
export function dayEnd(hour: number): number {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  date.setHours(24, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}

/** `YYYY-MM-DD` of the day that a whole hour belongs to. */
export function dateOf(hour: number): string {
  const date = new Date((hour + HOUR_S - 1) * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Where the day began that was so many days before the one of `now`; 0 for that day itself, -1 for the next. */
export function dayAgo(now: number, days: number): number {
  const date = new Date(now * 1000);
  // The date first: where today has no midnight, the other days still have theirs.
  date.setDate(date.getDate() - days);
  date.setHours(0, 0, 0, 0);
  return hourOf(date.getTime() / 1000);
}
