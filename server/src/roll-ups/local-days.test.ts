import { afterEach, describe, expect, test } from 'vitest';
import { dateOf, dayAgo, dayEnd, dayStart } from './local-days.ts';
import { hourOf } from './usage-scope.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;

describe.each(['UTC', 'Asia/Shanghai', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'])(
  'days in %s',
  (name) => {
    test('are contiguous, have whole hours and a unique date', () => {
      process.env['TZ'] = name;
      const dates: string[] = [];
      // This range includes both DST changes.
      for (let start = dayStart(hourOf(utc('2026-01-15T12:00:00'))); start < utc('2027-01-15T00:00:00');) {
        const end = dayEnd(start);
        expect(hourOf(start)).toBe(start);
        expect(end - start).toBeGreaterThanOrEqual(23 * 3600);
        expect(end - start).toBeLessThanOrEqual(25 * 3600);
        for (let hour = start; hour < end; hour += 3600) {
          expect([dayStart(hour), dayEnd(hour), dateOf(hour)]).toEqual([start, end, dateOf(start)]);
        }
        dates.push(dateOf(start));
        start = end;
      }
      expect(new Set(dates).size).toBe(dates.length);
      expect(dates).toEqual(dates.toSorted());
      expect(dates.length).toBeGreaterThanOrEqual(364);
    });

    test('are counted back from today', () => {
      process.env['TZ'] = name;
      const now = utc('2026-11-20T15:30:00');
      expect(dayAgo(now, 0)).toBe(dayStart(hourOf(now)));
      expect(dayEnd(dayAgo(now, 1))).toBe(dayAgo(now, 0));
      let start = dayAgo(now, 300);
      for (let days = 300; days > 0; days--) start = dayEnd(start);
      expect(start).toBe(dayAgo(now, 0));
    });
  },
);

test('midnight is the midnight of the zone', () => {
  process.env['TZ'] = 'Asia/Shanghai';
  expect(dayStart(utc('2026-11-20T15:00:00'))).toBe(utc('2026-11-19T16:00:00'));
  expect(dateOf(utc('2026-11-20T16:00:00'))).toBe('2026-11-21');
});
