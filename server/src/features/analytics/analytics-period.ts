import type { UsageStep } from '@relay-hub/contract';
import { longestPeriod } from '@relay-hub/contract';
import { ensure } from '#errors.ts';
import { dateOf, dayAgo, dayEnd } from '#roll-ups/local-days.ts';
import { HOUR_S, hourOf } from '#roll-ups/usage-scope.ts';

/** A stretch of time that one value of a series stands for. */
export interface PeriodPoint {
  date: string;
  /** Whole hours, the end exclusive. */
  start: number;
  end: number;
}

export interface Period {
  time_zone: string;
  step: UsageStep;
  /** Whole hours; nothing is known of later ones. */
  from: number;
  until: number;
  points: PeriodPoint[];
  /** The hours of it that are over, and where the same hours of as many days before are. */
  over: number;
  before: { from: number; until: number };
}

interface Asked {
  days: number;
  from: string;
  to: string;
  step: UsageStep | '';
}

/** Finer points than these would be too many to draw or to read. */
const MOST_DAYS_BY_HOUR = 7;
const DAYS_BY_HOUR = 2;
const DAYS_BY_DAY = 92;

/** The days that are asked for, of the server's time zone. Throws `analytics.period` and `analytics.step`. */
export function periodOf(asked: Asked, now: number): Period {
  const { from, until, days } = boundsOf(asked, now);
  const step = asked.step || (days <= DAYS_BY_HOUR ? 'hour' : days <= DAYS_BY_DAY ? 'day' : 'month');
  ensure(step !== 'hour' || days <= MOST_DAYS_BY_HOUR, 'analytics.step', { field: 'step', most: MOST_DAYS_BY_HOUR });
  // Neither hours nor days to come are drawn; of today, all of it, so that its bar is that of a day.
  const known = Math.min(until, step === 'hour' ? hourOf(now) + HOUR_S : dayAgo(now, -1));
  const over = Math.max(from, Math.min(known, hourOf(now)));
  return {
    time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    step,
    from,
    until: known,
    points: pointsOf(from, known, step),
    over,
    before: { from: daysBefore(from, days), until: daysBefore(over, days) },
  };
}

/** From one whole hour up to another, cut into days. */
export function daysBetween(from: number, until: number): PeriodPoint[] {
  ensure(until - from <= (longestPeriod + 1) * 24 * HOUR_S, 'analytics.period', { most: longestPeriod });
  return pointsOf(from, until, 'day');
}

function boundsOf({ days, from, to }: Asked, now: number): { from: number; until: number; days: number } {
  if (from === '' && to === '') return { from: dayAgo(now, days - 1), until: dayAgo(now, -1), days };
  const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  ensure(count >= 1 && count <= longestPeriod, 'analytics.period', { field: 'to', most: longestPeriod });
  const start = startOf(from);
  ensure(start <= now, 'analytics.future', { field: 'from' });
  return { from: start, until: dayEnd(startOf(to)), days: count };
}

/** Where a day begins that is given as `YYYY-MM-DD`. */
function startOf(date: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return hourOf(new Date(year, month - 1, day).getTime() / 1000);
}

/** The same time of the day so many days before. */
function daysBefore(hour: number, days: number): number {
  const date = new Date(hour * 1000);
  date.setDate(date.getDate() - days);
  return hourOf(date.getTime() / 1000);
}

function pointsOf(from: number, until: number, step: UsageStep): PeriodPoint[] {
  const points: PeriodPoint[] = [];
  for (let start = from; start < until;) {
    const end = Math.min(until, endOf(start, step));
    points.push({ date: labelOf(start, step), start, end });
    start = end;
  }
  return points;
}

function endOf(start: number, step: UsageStep): number {
  if (step === 'hour') return start + HOUR_S;
  if (step === 'day') return dayEnd(start);
  const date = new Date((start + HOUR_S - 1) * 1000);
  return hourOf(new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime() / 1000);
}

function labelOf(start: number, step: UsageStep): string {
  if (step === 'day') return dateOf(start);
  if (step === 'month') return dateOf(start).slice(0, 7);
  const date = new Date(start * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Which point each of some times is in: a function that gives the index, or -1 where it is in none. */
export function indexIn(points: readonly PeriodPoint[]): (time: number) => number {
  return (time) => {
    let low = 0;
    let high = points.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { start, end } = points[middle]!; // between two indexes of the list
      if (time < start) high = middle - 1;
      else if (time >= end) low = middle + 1;
      else return middle;
    }
    return -1;
  };
}
