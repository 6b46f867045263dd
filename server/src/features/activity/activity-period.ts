import type { ActivityDays } from '@relay-hub/contract';
import { dayEnd } from '#roll-ups/local-days.ts';
import { hourOf, HOUR_S } from '#roll-ups/usage-scope.ts';

/** Whole hours, the current one included; `barS` divides the period. */
export interface ActivityPeriod {
  from: number;
  until: number;
  barS: number;
}

const DAY_HOURS = 24;
const WEEK_BAR_HOURS = 6;

/** The latest 24 hours by hour, or 7 days by 6 hours; `now` in seconds. */
export function activityPeriod(days: ActivityDays, now: number): ActivityPeriod {
  const until = hourOf(now) + HOUR_S;
  const from = until - Number(days) * DAY_HOURS * HOUR_S;
  return { from, until, barS: days === '1' ? HOUR_S : WEEK_BAR_HOURS * HOUR_S };
}

/** The hours of one day; of a week its days in the server's time zone, for which roll-ups have sums. */
export function speedPoints({ from, until, barS }: ActivityPeriod): { start: number; end: number }[] {
  const points: { start: number; end: number }[] = [];
  for (let start = from; start < until; start = points.at(-1)?.end ?? until)
    points.push({ start, end: barS === HOUR_S ? start + HOUR_S : Math.min(dayEnd(start), until) });
  return points;
}

/** The start hours of a period, in runs that one query reads. */
export function hoursByDay({ from, until }: ActivityPeriod): number[][] {
  const runs: number[][] = [];
  for (let start = from; start < until; start += DAY_HOURS * HOUR_S)
    runs.push(Array.from({ length: DAY_HOURS }, (_, at) => start + at * HOUR_S));
  return runs;
}
