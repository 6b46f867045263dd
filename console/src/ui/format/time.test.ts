import { expect, test } from 'vitest';
import { rangeSeconds } from '#ui/table/filter.ts';
import { formatAge, formatDates, formatDateTime, formatDuration, formatLeft, formatSpan } from './time.ts';

const local = (...parts: [number, number, number, number?, number?, number?]) =>
  Math.floor(new Date(...parts).getTime() / 1000);
const now = local(2026, 10, 20, 17, 42, 8);

test('a moment is local, padded and sortable', () => {
  expect(formatDateTime(local(2026, 0, 5, 7, 8, 9))).toBe('2026-01-05 07:08:09');
});

test.each([
  [now + 30, 'in 30 sec'],
  // A row that arrived between two ticks of the page's clock.
  [now + 2, 'now'],
  [now, 'now'],
  [now - 3, '3 sec ago'],
  [now - 120, '2 min ago'],
  [now - 7200, '2 hours ago'],
  [now - 86_400, 'yesterday'],
  [local(2026, 7, 2), '2026-08-02'],
])('an age is told in the largest unit that fits', (at, text) => expect(formatAge(at, now, 'en-US')).toBe(text));

test.each([
  ['zh-CN', '2小时前'],
  ['zh-HK', '2 小時前'],
  ['ja-JP', '2 時間前'],
])('an age speaks the language of the reader: %s', (language, text) =>
  expect(formatAge(now - 7200, now, language)).toBe(text),
);

test('time left counts down', () => {
  expect([161, 60, 5, 0, -4, 3761].map(formatLeft)).toEqual(['2:41', '1:00', '0:05', '0:00', '0:00', '1:02:41']);
});

test('ranges are calendar days of the reader', () => {
  const at = new Date(now * 1000);
  expect(rangeSeconds('today', at)).toEqual({ start: local(2026, 10, 20), end: 0 });
  expect(rangeSeconds('yesterday', at)).toEqual({ start: local(2026, 10, 19), end: local(2026, 10, 20) - 1 });
  expect(rangeSeconds('7d', at).start).toBe(local(2026, 10, 14));
  expect(rangeSeconds('2026-11-01..2026-11-02', at)).toEqual({
    start: local(2026, 10, 1),
    end: local(2026, 10, 2, 23, 59, 59),
  });
  expect(rangeSeconds('..2026-11-02', at).start).toBe(0);
  expect(rangeSeconds(undefined, at)).toEqual({ start: 0, end: 0 });
});

test.each([
  ['2026-11-22', '2026-11-28', 'en-US', 'Nov 22 – 28, 2026'],
  ['2026-11-22', '2027-01-02', 'zh-CN', '2026/11/22 – 2027/1/2'],
  ['2026-11-22', '2026-11-22', 'ja-JP', '2026年11月22日'],
  ['2026-11-22T14:00', '2026-11-22T14:59', 'en-US', 'Nov 22, 2026, 14:00 – 14:59'],
  ['2026-11', '2027-01', 'en-US', 'Nov 2026 – Jan 2027'],
  ['2026-11-22', '', 'en-US', 'Nov 22, 2026 –'],
  ['', '2026-11-22', 'en-US', '– Nov 22, 2026'],
  ['', '', 'en-US', ''],
  // Addresses can be written by hand.
  ['soon', '2026-99-99', 'en-US', 'soon – 2026-99-99'],
])('a period from "%s" to "%s" in %s reads "%s"', (from, to, language, text) => {
  expect(formatDates(from, to, language).replaceAll(/\s/g, ' ')).toBe(text);
});

test.each([
  [0.3, '7 hours'],
  [1.9, '46 hours'],
  [9.2, '9 days'],
  [55.2, '8 weeks'],
  [150, '5 months'],
  [900, '2 years'],
])('a forecast of %s days reads "%s"', (days, text) => {
  expect(formatSpan(days, 'en-US')).toBe(text);
});

test.each([
  [0, '0 sec'],
  [45.4, '45 sec'],
  [130, '2 min'],
  [12_600, '3.5 hr'],
  [864_000, '10 days'],
])('a duration of %s seconds reads "%s"', (seconds, text) => {
  expect(formatDuration(seconds, 'en-US')).toBe(text);
});
