import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LimitWindow, windowAt } from './limit-window.ts';
import { type LimitPeriod, limitPeriods } from './token-limits.ts';

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;
const zones = ['UTC', 'Asia/Shanghai', 'Asia/Kolkata', 'Europe/Berlin', 'America/New_York', 'America/Santiago'];
const calendar = (time_zone: string) => ({ reset: 'calendar', time_zone }) as const;

/** Local date and time of a zone. */
function wall(zone: string, seconds: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(
    seconds * 1000,
  );
}

describe.each(zones)('periods of the calendar in %s', (zone) => {
  const times = fc.integer({ min: utc('2023-12-20T00:00:00'), max: utc('2029-01-10T00:00:00') });
  const periods = fc.constantFrom<LimitPeriod>('minute', 'hour', 'day', 'week', 'month');

  test('contain their moment, are the same throughout, and follow each other without a gap', () => {
    fc.assert(
      fc.property(times, periods, fc.double({ min: 0, max: 1, noNaN: true }), (now, period, share) => {
        const found = windowAt(period, calendar(zone), now);
        expect(found.starts).toBeLessThanOrEqual(now);
        expect(found.ends).toBeGreaterThan(now);
        const inside = found.starts + Math.floor((found.ends - found.starts - 1) * share);
        expect(windowAt(period, calendar(zone), inside)).toEqual(found);
        expect(windowAt(period, calendar(zone), found.starts - 1).ends).toBe(found.starts);
        expect(windowAt(period, calendar(zone), found.ends).starts).toBe(found.ends);
      }),
    );
  });

  test('begin with the first second that the zone shows of them', () => {
    fc.assert(
      fc.property(times, (now) => {
        const day = windowAt('day', calendar(zone), now);
        const date = wall(zone, now).slice(0, 10);
        expect(wall(zone, day.starts).slice(0, 10)).toBe(date);
        expect(wall(zone, day.starts - 1).slice(0, 10)).not.toBe(date);
        expect(wall(zone, day.ends).slice(0, 10)).not.toBe(date);
        const month = windowAt('month', calendar(zone), now);
        expect(wall(zone, month.starts).slice(0, 10)).toBe(`${date.slice(0, 7)}-01`);
        const week = windowAt('week', calendar(zone), now);
        expect(new Date(`${wall(zone, week.starts).slice(0, 10)}T00:00:00Z`).getUTCDay()).toBe(1);
      }),
    );
  });
});

const hours = ({ starts, ends }: LimitWindow) => (ends - starts) / 3600;

test('days around summer time have 23 and 25 hours, and end at the second', () => {
  const berlin = (text: string) => windowAt('day', calendar('Europe/Berlin'), utc(text));
  expect(berlin('2026-03-29T12:00:00')).toEqual({
    starts: utc('2026-03-28T23:00:00'),
    ends: utc('2026-03-29T22:00:00'),
  });
  expect(hours(berlin('2026-10-25T12:00:00'))).toBe(25);
  expect(berlin('2026-03-29T21:59:59').ends).toBe(utc('2026-03-29T22:00:00'));
  expect(berlin('2026-03-29T22:00:00').starts).toBe(utc('2026-03-29T22:00:00'));
  const newYork = (text: string) => windowAt('day', calendar('America/New_York'), utc(text));
  expect(hours(newYork('2026-03-08T12:00:00'))).toBe(23);
  expect(hours(newYork('2026-11-01T12:00:00'))).toBe(25);
  expect(hours(windowAt('day', calendar('Asia/Shanghai'), utc('2026-03-29T12:00:00')))).toBe(24);
});

test('a day whose midnight is skipped begins at one o’clock', () => {
  const found = windowAt('day', calendar('America/Santiago'), utc('2026-09-06T15:00:00'));
  expect(wall('America/Santiago', found.starts)).toBe('2026-09-06 01:00:00');
  expect(hours(found)).toBe(23);
});

test('a leap day is a day of its own, and its month has 29', () => {
  const noon = utc('2028-02-29T12:00:00');
  expect(windowAt('day', calendar('UTC'), noon)).toEqual({
    starts: utc('2028-02-29T00:00:00'),
    ends: utc('2028-03-01T00:00:00'),
  });
  expect(hours(windowAt('month', calendar('UTC'), noon))).toBe(29 * 24);
  expect(hours(windowAt('month', calendar('UTC'), utc('2027-02-10T00:00:00')))).toBe(28 * 24);
});

test('rolling periods begin with their first call, and five hours always do', () => {
  const now = utc('2026-11-26T10:20:30');
  const rolling = { reset: 'rolling', time_zone: 'UTC' } as const;
  const lengths = { minute: 60, hour: 3600, five_hours: 18_000, day: 86_400, week: 604_800, month: 2_592_000 };
  for (const period of limitPeriods) {
    if (period === 'at_once' || period === 'minute') continue;
    expect(windowAt(period, rolling, now)).toEqual({ starts: now, ends: now + lengths[period] });
  }
  expect(windowAt('five_hours', calendar('Asia/Kolkata'), now)).toEqual({ starts: now, ends: now + 18_000 });
  expect(windowAt('minute', rolling, now)).toEqual({ starts: now - 30, ends: now + 30 });
});
