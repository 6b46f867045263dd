import type { LimitPeriod } from './token-limits.ts';

/**
 * Periods of limits: when the one that contains a moment began, and when the next one begins. All times are Unix
 * seconds; a period includes its start and excludes its end.
 */
export interface LimitWindow {
  starts: number;
  ends: number;
}

/**
 * How periods of a limit begin. `calendar`: with the calendar of the zone. `rolling`: with the first call after the last
 * one has ended. `anchored`: a whole number of periods after `anchor`, at its time of day in the zone.
 */
export interface LimitReset {
  reset: 'calendar' | 'rolling' | 'anchored';
  time_zone: string;
  /** Unix seconds. */
  anchor?: number | undefined;
}

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** Length of periods that begin with their first call. A month is 30 days then. */
const lengths: Record<Exclude<LimitPeriod, 'at_once'>, number> = {
  minute: MINUTE_S,
  hour: HOUR_S,
  five_hours: 5 * HOUR_S,
  day: DAY_S,
  week: 7 * DAY_S,
  month: 30 * DAY_S,
};

/** Without a period: it never ends. */
const always: LimitWindow = { starts: 0, ends: Number.MAX_SAFE_INTEGER };

/**
 * The period of a limit that contains `now`, if none is running yet. Minutes are always those of the clock, and five
 * hours without an anchor begin with their first call, since no calendar has them.
 */
export function windowAt(period: LimitPeriod, { reset, time_zone, anchor = 0 }: LimitReset, now: number): LimitWindow {
  if (period === 'at_once') return always;
  if (period === 'minute') return fixed(now, MINUTE_S);
  if (reset === 'anchored') {
    if (period === 'hour' || period === 'five_hours') return fixed(now, lengths[period], anchor);
    return zoneOf(time_zone).anchored({ unit: period, count: 1 }, anchor, now);
  }
  if (period === 'five_hours' || reset === 'rolling') return { starts: now, ends: now + lengths[period] };
  return zoneOf(time_zone).window(period, now);
}

/** A length in units of the calendar. */
export interface CalendarLength {
  unit: 'day' | 'week' | 'month' | 'year';
  count: number;
}

/**
 * The moment that many lengths after `anchor`, at its time of day in the zone. The day of a month is kept, and moved to
 * the end of a shorter month: 31 January, 28 February, 31 March.
 */
export const timeAfter = (anchor: number, { unit, count }: CalendarLength, time_zone: string): number =>
  zoneOf(time_zone).after(anchor, { unit, count });

function fixed(now: number, length: number, anchor = 0): LimitWindow {
  const starts = anchor + Math.floor((now - anchor) / length) * length;
  return { starts, ends: starts + length };
}

const DAY_MS = 86_400_000;
const MONDAY = 1;
const MOST_WINDOWS = 2000;
const averageS: Record<CalendarLength['unit'], number> = {
  day: DAY_S,
  week: 7 * DAY_S,
  month: 30.4 * DAY_S,
  year: 365.25 * DAY_S,
};

/** Calendar of a time zone. Local times are milliseconds, as if they were UTC. */
class ZoneCalendar {
  readonly #format: Intl.DateTimeFormat;
  /** The last window of each period: most calls fall into it. */
  readonly #last = new Map<string, LimitWindow>();

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  window(period: 'hour' | 'day' | 'week' | 'month', now: number): LimitWindow {
    const last = this.#last.get(period);
    if (last && last.starts <= now && now < last.ends) return last;
    const found = period === 'hour' ? this.#hour(now) : this.#days(period, now);
    this.#last.set(period, found);
    return found;
  }

  after(anchor: number, { unit, count }: CalendarLength): number {
    if (count === 0) return anchor;
    const local = this.#local(anchor);
    if (unit === 'day' || unit === 'week') return this.#time(local + count * (unit === 'week' ? 7 : 1) * DAY_MS);
    const from = new Date(local);
    const month = from.getUTCMonth() + count * (unit === 'year' ? 12 : 1);
    const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
    const day = Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), last));
    return this.#time(day + (local % DAY_MS));
  }

  /** The window of a row of equal lengths that begins at `anchor`, in both directions. */
  anchored({ unit, count }: CalendarLength, anchor: number, now: number): LimitWindow {
    const key = `${unit} ${count} ${anchor}`;
    const last = this.#last.get(key);
    if (last && last.starts <= now && now < last.ends) return last;
    const edge = (number: number) => this.after(anchor, { unit, count: number * count });
    let number = Math.floor((now - anchor) / (averageS[unit] * count));
    while (edge(number) > now) number--;
    while (edge(number + 1) <= now) number++;
    const found = { starts: edge(number), ends: edge(number + 1) };
    // Anchors are many, unlike periods of the calendar.
    if (this.#last.size < MOST_WINDOWS) this.#last.set(key, found);
    else this.#last.clear();
    return found;
  }

  /** If a zone repeats an hour, the repeated hour is a separate period. */
  #hour(now: number): LimitWindow {
    const local = this.#local(now);
    const starts = now - (local % (HOUR_S * 1000)) / 1000;
    return { starts, ends: starts + HOUR_S };
  }

  #days(period: 'day' | 'week' | 'month', now: number): LimitWindow {
    const midnight = Math.floor(this.#local(now) / DAY_MS) * DAY_MS;
    const date = new Date(midnight);
    if (period === 'day') return this.#between(midnight, midnight + DAY_MS);
    if (period === 'month') {
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return this.#between(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1));
    }
    const monday = midnight - ((date.getUTCDay() + 7 - MONDAY) % 7) * DAY_MS;
    return this.#between(monday, monday + 7 * DAY_MS);
  }

  #between(from: number, to: number): LimitWindow {
    return { starts: this.#time(from), ends: this.#time(to) };
  }

  #local(time: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(time * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /** First moment at which the clock shows a local time or a later one: a zone can skip midnight. */
  #time(local: number): number {
    const candidates = [local - DAY_MS, local + DAY_MS].map(
      (near) => (local - (this.#local(near / 1000) - near)) / 1000,
    );
    const earliest = Math.min(...candidates);
    const latest = Math.max(...candidates);
    if (this.#local(earliest) >= local) return earliest;
    return this.#local(latest) === local ? latest : this.#firstFrom(local, earliest, latest);
  }

  /** Binary search for a local time that the zone skips. */
  #firstFrom(local: number, before: number, after: number): number {
    let low = before;
    let high = after;
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#local(middle) >= local) high = middle;
      else low = middle;
    }
    return high;
  }
}

const calendars = new Map<string, ZoneCalendar>();
/** Zone names are case-insensitive, so this bounds what a caller can fill. */
const MOST_CALENDARS = 500;

function zoneOf(zone: string): ZoneCalendar {
  let calendar = calendars.get(zone);
  if (calendar) return calendar;
  calendar = new ZoneCalendar(zone);
  if (calendars.size < MOST_CALENDARS) calendars.set(zone, calendar);
  return calendar;
}
