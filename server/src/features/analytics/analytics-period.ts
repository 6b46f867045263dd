import type { UsageStep } from '@relay-hub/contract';
import { longestPeriod } from '@relay-hub/contract';
import { ensure } from '#errors.ts';
import { HOUR_S, hourOf } from '#roll-ups/usage-scope.ts';
import { WallClock } from '#roll-ups/wall-clock.ts';

/** The interval that one value of a series covers. */
export interface PeriodPoint {
  date: string;
  /** Whole hours, the end exclusive. */
  start: number;
  end: number;
}

export interface AnalyticsPeriod {
  time_zone: string;
  early_minutes: number;
  step: UsageStep;
  /** Whole hours; `until` is capped at the present. */
  from: number;
  until: number;
  points: PeriodPoint[];
  /** The hours already over, and the same hours of the preceding period. */
  over: number;
  before: { from: number; until: number };
}

interface PeriodInput {
  days: number;
  from: string;
  to: string;
  step: UsageStep | '';
  /** IANA name; absent or empty for the server's. */
  time_zone?: string;
}

/** Longer periods would have too many hourly points to draw. */
const MOST_DAYS_BY_HOUR = 7;
const DAYS_BY_HOUR = 2;
const DAYS_BY_DAY = 92;

/** The requested period. Throws `analytics.period`, `analytics.step` and `analytics.time_zone`. */
export function periodOf(input: PeriodInput, now: number): AnalyticsPeriod {
  const clock = clockOf(input.time_zone ?? '');
  const { from, until, days } = boundsOf(input, now, clock);
  const step = input.step || (days <= DAYS_BY_HOUR ? 'hour' : days <= DAYS_BY_DAY ? 'day' : 'month');
  ensure(step !== 'hour' || days <= MOST_DAYS_BY_HOUR, 'analytics.step', { field: 'step', most: MOST_DAYS_BY_HOUR });
  // Future hours and days are left out, but today is complete so that its bar is as wide as the others.
  const known = Math.min(until, step === 'hour' ? hourOf(now) + HOUR_S : clock.dayOf(now, 1));
  const over = Math.max(from, Math.min(known, hourOf(now)));
  return {
    time_zone: clock.zone,
    early_minutes: clock.earlyMinutes(from),
    step,
    from,
    until: known,
    points: pointsOf(from, known, step, clock),
    over,
    before: { from: clock.daysBefore(from, days), until: clock.daysBefore(over, days) },
  };
}

/** The wall clock of a zone, the server's if empty. Throws `analytics.time_zone`. */
export function clockOf(zone: string): WallClock {
  const clock = zone === '' ? WallClock.ofServer() : WallClock.of(zone);
  ensure(clock, 'analytics.time_zone', { field: 'time_zone' });
  return clock;
}

/** Splits whole hours into days of the server's time zone. */
export function daysBetween(from: number, until: number): PeriodPoint[] {
  ensure(until - from <= (longestPeriod + 1) * 24 * HOUR_S, 'analytics.period', { most: longestPeriod });
  return pointsOf(from, until, 'day', WallClock.ofServer());
}

function boundsOf(
  { days, from, to }: PeriodInput,
  now: number,
  clock: WallClock,
): { from: number; until: number; days: number } {
  if (from === '' && to === '') return { from: clock.dayOf(now, 1 - days), until: clock.dayOf(now, 1), days };
  const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  ensure(count >= 1 && count <= longestPeriod, 'analytics.period', { field: 'to', most: longestPeriod });
  const start = clock.startOf(from);
  ensure(start <= now, 'analytics.future', { field: 'from' });
  return { from: start, until: clock.dayEnd(clock.startOf(to)), days: count };
}

function pointsOf(from: number, until: number, step: UsageStep, clock: WallClock): PeriodPoint[] {
  const points: PeriodPoint[] = [];
  for (let start = from; start < until;) {
    const end = Math.min(until, endOf(start, step, clock));
    points.push({ date: labelOf(start, step, clock), start, end });
    start = end;
  }
  return points;
}

function endOf(start: number, step: UsageStep, clock: WallClock): number {
  if (step === 'hour') return start + HOUR_S;
  return step === 'day' ? clock.dayEnd(start) : clock.monthEnd(start);
}

function labelOf(start: number, step: UsageStep, clock: WallClock): string {
  if (step === 'hour') return clock.minuteOf(start);
  return step === 'day' ? clock.dateOf(start) : clock.dateOf(start).slice(0, 7);
}

/** A function from a time to the index of its point, or -1 outside all of them. */
export function indexIn(points: readonly PeriodPoint[]): (time: number) => number {
  return (time) => {
    let low = 0;
    let high = points.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const point = points[middle];
      if (!point) return -1;
      if (time < point.start) high = middle - 1;
      else if (time >= point.end) low = middle + 1;
      else return middle;
    }
    return -1;
  };
}
