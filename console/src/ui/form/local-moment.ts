import { formatDate, formatTimeOfDay } from '#ui/format/time.ts';

/** Unix seconds as the value of an `<input type="datetime-local">`. */
export const localMoment = (seconds: number): string =>
  `${formatDate(seconds)}T${formatTimeOfDay(seconds).slice(0, 5)}`;

/** The reverse; null while the field is empty or incomplete. */
export function secondsOf(local: string): number | null {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}
