import { expect, test } from 'vitest';
import { rangeSeconds } from '#ui/table/filter.ts';
import { analyticsDefaults } from './analytics-defaults.ts';
import { changed, chosenPeriod, groupingOf, logTimeOf, mayHours, periodOf, whoseOf } from './analytics-search.ts';
import { logSpanOf } from './log-link.ts';

const search = (more: Partial<typeof analyticsDefaults> = {}) => ({ ...analyticsDefaults, ...more });
const today = '2026-11-20';

test('a chosen range is a number of days or two dates', () => {
  const none = { from: '', to: '', step: '' };
  expect(chosenPeriod('today', today)).toEqual({ ...none, days: 1 });
  expect(chosenPeriod('7d', today)).toEqual({ ...none, days: 7 });
  expect(chosenPeriod('30d', today)).toEqual({ ...none, days: 30 });
  expect(chosenPeriod('yesterday', today)).toMatchObject({ from: '2026-11-19', to: '2026-11-19' });
  expect(chosenPeriod('2026-11-01..2026-11-05', today)).toMatchObject({ from: '2026-11-01', to: '2026-11-05' });
  expect(chosenPeriod('2026-11-05..2026-11-01', today)).toMatchObject({ from: '2026-11-01', to: '2026-11-05' });
  expect(chosenPeriod('2026-11-01..', today)).toMatchObject({ from: '2026-11-01', to: today });
  expect(chosenPeriod('..2026-11-05', today)).toMatchObject({ from: '2026-11-05', to: '2026-11-05' });
  expect(chosenPeriod(undefined, today)).toEqual({ ...none, days: 7 });
});

test('half a range counts as none, and unknown values are left to the server', () => {
  expect(periodOf(search({ days: 9999 }))).toMatchObject({ days: 7, step: '' });
  expect(periodOf(search({ from: '2026-11-01', step: 'week' }))).toMatchObject({ days: 7, step: '' });
  expect(periodOf(search({ from: '2026-11-01', to: '2026-11-02', step: 'hour' }))).toMatchObject({
    from: '2026-11-01',
    to: '2026-11-02',
    step: 'hour',
  });
});

test('one user or channel allows only models and owners as groups', () => {
  expect(groupingOf(search({ by: 'channel' }), true)).toBe('channel');
  expect(groupingOf(search({ by: 'channel', username: 'ann' }), true)).toBe('model');
  expect(groupingOf(search({ by: 'owner', channel_id: 3 }), true)).toBe('owner');
  expect(groupingOf(search({ by: 'nonsense' }), true)).toBe('model');
  expect(groupingOf(search({ by: 'token' }), true)).toBe('model');
  expect(groupingOf(search({ by: 'token', username: 'ann' }), true)).toBe('token');
  expect(groupingOf(search({ by: 'channel' }), false)).toBe('model');
  expect(groupingOf(search({ by: 'token' }), false)).toBe('token');
  expect(whoseOf(search({ username: 'ann', channel_id: 3 }))).toEqual({ username: 'ann' });
  expect(changed(search({ username: 'ann' }), { channel_id: 3 })).toEqual({ username: '', channel_id: 3 });
  expect(changed(search({ channel_id: 3 }), { username: 'ann' })).toEqual({ username: 'ann', channel_id: 0 });
  expect(changed(search({ channel_id: 3 }), { channel_id: undefined })).toEqual({ username: '', channel_id: 0 });
});

test('hours are for a week at most', () => {
  expect([search({ days: 7 }), search({ days: 30 })].map(mayHours)).toEqual([true, false]);
  expect(mayHours(search({ days: 90, from: '2026-11-01', to: '2026-11-07' }))).toBe(true);
  expect(mayHours(search({ from: '2026-11-01', to: '2026-11-08' }))).toBe(false);
});

test('the log link has the same period', () => {
  const dates = { first: '2026-08-23', last: '2026-11-20' };
  expect(logTimeOf(search({ days: 1 }), dates)).toBe('today');
  expect(logTimeOf(search({ days: 30 }), dates)).toBe('30d');
  expect(logTimeOf(search({ days: 90 }), dates)).toBe('2026-08-23..2026-11-20');
  expect(logTimeOf(search({ from: '2026-11-01', to: '2026-11-07' }), dates)).toBe('2026-11-01..2026-11-07');
});

test('a point opens the log of its span', () => {
  expect(logSpanOf('2026-11-19', 'day')).toBe('2026-11-19..2026-11-19');
  expect(logSpanOf('2026-11-19 14:00', 'hour')).toBe('2026-11-19T14:00..2026-11-19T14:59');
  expect(logSpanOf('2026-02', 'month')).toBe('2026-02-01..2026-02-28');
  const { start, end } = rangeSeconds(logSpanOf('2026-11-19 14:00', 'hour'));
  expect(end - start).toBe(3599);
  expect(new Date(start * 1000).getHours()).toBe(14);
});
