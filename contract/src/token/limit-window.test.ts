import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CalendarLength, type LimitWindow, timeAfter, windowAt } from './limit-window.ts';
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

/** A row per anchor: the starts that follow it, with gaps of months, weeks and days of the zone. */
test.each<[what: string, zone: string, unit: CalendarLength, anchor: string, starts: string[]]>([
  [
    'the 31st is the last day of shorter months',
    'UTC',
    { unit: 'month', count: 1 },
    '2027-01-31T10:00:00',
    ['2027-02-28T10:00:00', '2027-03-31T10:00:00', '2027-04-30T10:00:00'],
  ],
  [
    '29 February is the 28th in other years',
    'UTC',
    { unit: 'year', count: 1 },
    '2028-02-29T00:00:00',
    ['2029-02-28T00:00:00', '2030-02-28T00:00:00', '2031-02-28T00:00:00', '2032-02-29T00:00:00'],
  ],
  [
    'days keep their local hour over summer time',
    'Europe/Berlin',
    { unit: 'day', count: 1 },
    '2026-03-27T11:00:00',
    ['2026-03-28T11:00:00', '2026-03-29T10:00:00', '2026-03-30T10:00:00'],
  ],
  [
    'ten days are ten local days',
    'Europe/Berlin',
    { unit: 'day', count: 10 },
    '2026-10-20T10:00:00',
    ['2026-10-30T11:00:00', '2026-11-09T11:00:00'],
  ],
  [
    'weeks begin at the weekday and hour of their anchor',
    'Asia/Shanghai',
    { unit: 'week', count: 1 },
    '2026-11-11T03:04:05',
    ['2026-11-18T03:04:05', '2026-11-25T03:04:05'],
  ],
])('of anchored periods, %s', (_, time_zone, length, anchor, starts) => {
  const from = utc(anchor);
  expect(
    starts.map((_unused, at) => timeAfter(from, { ...length, count: length.count * (at + 1) }, time_zone)),
  ).toEqual(starts.map(utc));
  if (length.count !== 1 || length.unit === 'year') return;
  for (const [at, start] of [anchor, ...starts.slice(0, -1)].entries()) {
    const window = { starts: utc(start), ends: utc(starts[at] ?? '') };
    for (const now of [window.starts, window.starts + 1, window.ends - 1])
      expect(windowAt(length.unit, { reset: 'anchored', time_zone, anchor: from }, now)).toEqual(window);
  }
});

test('anchored periods of five hours follow their anchor, also before it', () => {
  const reset = { reset: 'anchored', time_zone: 'UTC', anchor: 1000 } as const;
  expect(windowAt('five_hours', reset, 20_000)).toEqual({ starts: 19_000, ends: 37_000 });
  expect(windowAt('five_hours', reset, 999)).toEqual({ starts: -17_000, ends: 1000 });
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
