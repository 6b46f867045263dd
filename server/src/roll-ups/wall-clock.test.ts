import { afterEach, expect, test } from 'vitest';
import { timeZoneForSuite } from '#testing/database-for-suite.ts';
import { dateOf, dayAgo, dayEnd } from './local-days.ts';
import { HOUR_S, hourOf } from './usage-scope.ts';
import { WallClock } from './wall-clock.ts';

timeZoneForSuite('UTC');
afterEach(() => {
  process.env['TZ'] = 'UTC';
});

/** Zones with whole-hour and half-hour offsets, with DST changes at midnight and by half an hour. */
const zones = [
  'UTC',
  'Asia/Shanghai',
  'Asia/Kolkata',
  'America/New_York',
  'America/Santiago',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

test.each(zones)('days in %s are those of a server that lives there', (zone) => {
  process.env['TZ'] = zone;
  const clock = WallClock.of(zone)!;
  const start = Date.UTC(2026, 0, 1) / 1000;
  for (let hour = start; hour < start + 366 * 24 * HOUR_S; hour += 5 * HOUR_S) {
    const now = hour + 1234;
    expect(clock.dayEnd(hour), `the day of ${hour}`).toBe(dayEnd(hour));
    expect(clock.dateOf(hour)).toBe(dateOf(hour));
    const today = clock.dayOf(now);
    expect(today <= now && now < clock.dayOf(now, 1), `${now} is in its day`).toBe(true);
    expect(clock.dayOf(now, -6)).toBe(dayAgo(hour + HOUR_S - 1, 6));
    expect(clock.startOf(clock.dateOf(clock.dayOf(now)))).toBe(clock.dayOf(now));
    const before = new Date(hour * 1000);
    before.setDate(before.getDate() - 1);
    expect(clock.daysBefore(hour, 1)).toBe(hourOf(before.getTime() / 1000));
    const month = new Date((hour + HOUR_S - 1) * 1000);
    expect(clock.monthEnd(hour)).toBe(hourOf(new Date(month.getFullYear(), month.getMonth() + 1, 1).getTime() / 1000));
  }
});

test('the server has a clock, and a zone that does not exist has none', () => {
  expect(WallClock.ofServer().zone).toBe('UTC');
  expect(WallClock.of('Mars/Olympus')).toBeUndefined();
});
