import type { DashboardUsage, DayUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { byModel, measureOf, sameHoursOf, succeeded, valuesOf } from './usage-days.ts';

const day = (requests: number, failures = 0): DayUsage => ({
  requests,
  failures,
  unserved: 0,
  quota: requests * 10,
  prompt_tokens: requests * 2,
  completion_tokens: requests,
});
const usage: DashboardUsage = {
  time_zone: 'UTC',
  early_minutes: 0,
  days: [
    { date: '2026-11-19', start: 0, end: 24, until: 14, total: day(9), so_far: day(4) },
    { date: '2026-11-20', start: 24, end: 48, until: 38, total: day(5), so_far: day(5) },
  ],
  models: [
    { model: 'a', requests: [9, 4], quota: [90, 40], tokens: [27, 12] },
    { model: 'free', requests: [0, 1], quota: [0, 0], tokens: [0, 3] },
  ],
};

test('whole days are drawn, and equal hours are compared', () => {
  expect(valuesOf(usage, 'tokens')).toEqual([27, 15]);
  expect(sameHoursOf(usage, measureOf('requests'))).toEqual([4, 5]);
});

test('models with only zeros are left out', () => {
  expect(byModel(usage, 'quota')).toEqual([{ model: 'a', values: [90, 40] }]);
  expect(byModel(usage, 'requests')).toHaveLength(2);
});

test('of few calls there is no success rate', () => {
  expect(succeeded(day(0))).toBeUndefined();
  expect(succeeded(day(19, 1))).toBeUndefined();
  expect(succeeded(day(40, 10))).toBe(0.75);
  // Refused by the fault of the hub: neither a request with a row, nor a success.
  expect(succeeded({ ...day(40, 10), unserved: 20 })).toBe(0.5);
});
