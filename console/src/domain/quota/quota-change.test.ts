import { expect, test } from 'vitest';
import { changeOf, daysLeft, type QuotaMode } from './quota-change.ts';

test.each<[mode: QuotaMode, quota: number | null, change: number]>([
  ['add', 50, 50],
  ['take', 50, -50],
  ['take', 0, 0],
  ['set', 250, 150],
  ['set', 0, -100],
  ['set', 100, 0],
  ['add', null, 0],
  ['set', null, 0],
])('%s %s of a balance of 100 changes it by %i', (mode, quota, change) => {
  expect(Object.is(changeOf({ mode, quota }, 100), change)).toBe(true);
});

test.each([
  [100, 30, 3],
  [0, 30, 0],
  [100, 0, undefined],
  [-1, 30, undefined],
  [1e9, 1, undefined],
])('%i at %i a day lasts %s days', (balance, spent, days) => {
  expect(daysLeft(balance, spent)).toBe(days);
});
