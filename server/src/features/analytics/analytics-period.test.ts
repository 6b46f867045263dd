import { afterEach, expect, test } from 'vitest';
import { daysBetween, indexIn, periodOf } from './analytics-period.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const at = (text: string): number => Date.parse(text) / 1000;
const inZone = (name: string, now: string, asked: Partial<Parameters<typeof periodOf>[0]>) => {
  process.env['TZ'] = name;
  return periodOf({ days: 7, from: '', to: '', step: '', ...asked }, at(now));
};

test('the last days end with today, whose hours to come belong to its bar', () => {
  const period = inZone('Asia/Shanghai', '2026-11-20T06:30:00Z', { days: 7 });
  expect(period.step).toBe('day');
  expect(period.time_zone).toBe('Asia/Shanghai');
  expect(period.points.map(({ date }) => date)).toEqual([
    '2026-11-14',
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
  ]);
  expect(period.from).toBe(at('2026-11-13T16:00:00Z'));
  expect(period.until).toBe(at('2026-11-20T16:00:00Z'));
});

test('only finished hours are compared, with the same ones before', () => {
  const { over, before } = inZone('Asia/Shanghai', '2026-11-20T06:30:00Z', { days: 7 });
  expect(over).toBe(at('2026-11-20T06:00:00Z'));
  expect(before).toEqual({ from: at('2026-11-06T16:00:00Z'), until: at('2026-11-13T06:00:00Z') });
});

test('today is shown by hour, including the current one', () => {
  const period = inZone('Asia/Shanghai', '2026-11-20T06:30:00Z', { days: 1 });
  expect(period.step).toBe('hour');
  expect(period.points).toHaveLength(15);
  expect(period.points[0]!.date).toBe('2026-11-20 00:00');
  expect(period.points.at(-1)).toEqual({
    date: '2026-11-20 14:00',
    start: at('2026-11-20T06:00:00Z'),
    end: at('2026-11-20T07:00:00Z'),
  });
});

test('dates are both inclusive, and a period that is over is compared whole', () => {
  const period = inZone('UTC', '2026-11-20T06:30:00Z', { from: '2026-10-01', to: '2026-10-03', step: 'hour' });
  expect(period.points).toHaveLength(72);
  expect(period.over).toBe(at('2026-10-04T00:00:00Z'));
  expect(period.before).toEqual({ from: at('2026-09-28T00:00:00Z'), until: at('2026-10-01T00:00:00Z') });
});

test('days to come are left out', () => {
  const period = inZone('UTC', '2026-11-20T06:30:00Z', { from: '2026-11-19', to: '2026-11-30', step: 'day' });
  expect(period.points.map(({ date }) => date)).toEqual(['2026-11-19', '2026-11-20']);
});

test('a year is shown by month; the first and the last may be partial', () => {
  const { points } = inZone('America/New_York', '2026-11-20T06:30:00Z', { days: 366 });
  expect(points[0]).toEqual({ date: '2025-11', start: at('2025-11-20T05:00:00Z'), end: at('2025-12-01T05:00:00Z') });
  expect(points[5]).toEqual({ date: '2026-04', start: at('2026-04-01T04:00:00Z'), end: at('2026-05-01T04:00:00Z') });
  expect(points.at(-1)!.date).toBe('2026-11');
  expect(points).toHaveLength(13);
});

test('a day of summer time has 23 or 25 hours', () => {
  const hours = (from: string) =>
    inZone('Europe/Berlin', '2026-11-20T06:30:00Z', { from, to: from, step: 'hour' }).points.length;
  expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-10-26')]).toEqual([23, 25, 24]);
});

test.each([
  ['Asia/Tehran', 30, '2026-11-27T20:00:00Z'],
  ['Asia/Kolkata', 30, '2026-11-27T18:00:00Z'],
  ['Asia/Kathmandu', 15, '2026-11-27T18:00:00Z'],
  ['Asia/Shanghai', 0, '2026-11-27T16:00:00Z'],
  ['America/New_York', 0, '2026-11-28T05:00:00Z'],
])('days in %s begin %i minutes early, which the period says', (where, early_minutes, from) => {
  const period = inZone(where, '2026-11-29T06:30:00Z', { from: '2026-11-28', to: '2026-11-28' });
  expect(period).toMatchObject({ early_minutes, from: at(from) });
});

test.each([
  [{ from: '2026-11-19', to: '2026-11-18' }, 'analytics.period'],
  [{ from: '2026-11-19', to: '' }, 'analytics.period'],
  [{ from: '2024-11-19', to: '2026-11-18' }, 'analytics.period'],
  [{ from: '2026-11-22', to: '2026-11-23' }, 'analytics.future'],
  [{ days: 8, step: 'hour' as const }, 'analytics.step'],
])('%o is refused: %s', (asked, code) => {
  expect(() => inZone('UTC', '2026-11-20T06:30:00Z', asked)).toThrow(expect.objectContaining({ code }));
});

test('a time is found in its point', () => {
  process.env['TZ'] = 'UTC';
  const points = daysBetween(at('2026-11-18T05:00:00Z'), at('2026-11-20T03:00:00Z'));
  const index = indexIn(points);
  expect(points.map(({ date }) => date)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
  expect(['04:59', '05:00', '23:59'].map((time) => index(at(`2026-11-18T${time}:00Z`)))).toEqual([-1, 0, 0]);
  expect([index(at('2026-11-19T00:00:00Z')), index(at('2026-11-20T02:59:59Z'))]).toEqual([1, 2]);
  expect(index(at('2026-11-20T03:00:00Z'))).toBe(-1);
});
