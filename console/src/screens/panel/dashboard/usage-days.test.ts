import type { UsageDay } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { addDays, byModel, daysLeft, daysOf, valuesOf } from './usage-days.ts';

const row = (Date: string, ModelName: string, count: number): UsageDay => ({
  Date,
  ModelName,
  RequestCount: count,
  Quota: count * 10,
  PromptTokens: count * 2,
  CompletionTokens: count,
  RequestTime: 0,
});

test('days pass months and leap years', () => {
  expect(addDays('2026-11-30', 1)).toBe('2026-12-01');
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
});

test('the last seven days end today, calls or not', () => {
  expect(daysOf([], '2026-11-20')).toEqual([
    '2026-11-14',
    '2026-11-15',
    '2026-11-16',
    '2026-11-17',
    '2026-11-18',
    '2026-11-19',
    '2026-11-20',
  ]);
});

test('a server that is a day ahead or behind counts its own days', () => {
  expect(daysOf([row('2026-11-21', 'a', 1)], '2026-11-20').at(-1)).toBe('2026-11-21');
  expect(daysOf([row('2026-11-12', 'a', 1)], '2026-11-20').at(-1)).toBe('2026-11-19');
});

test('days without calls are zero and other days are left out', () => {
  const rows = [
    row('2026-11-19', 'a', 3),
    row('2026-11-20', 'a', 1),
    row('2026-11-20', 'b', 2),
    row('2026-11-13', 'a', 9),
  ];
  const days = daysOf(rows, '2026-11-20');
  expect(valuesOf(rows, days, 'requests')).toEqual([0, 0, 0, 0, 0, 3, 3]);
  expect(valuesOf(rows, days, 'tokens')).toEqual([0, 0, 0, 0, 0, 9, 9]);
  expect(byModel(rows, days, 'quota')).toEqual([
    { model: 'a', values: [0, 0, 0, 0, 0, 30, 10] },
    { model: 'b', values: [0, 0, 0, 0, 0, 0, 20] },
  ]);
});

test('a balance lasts by the pace since the first spending day', () => {
  expect(daysLeft(100, [0, 0, 0, 0, 0, 10, 30])).toBe(5);
  expect(daysLeft(100, [0, 0, 0, 0, 0, 0, 0])).toBeUndefined();
  expect(daysLeft(-1, [0, 0, 0, 0, 0, 0, 9])).toBeUndefined();
});
