import type { UsageGroup, UsageSeries, UsageTotals } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { groupColors, pointsOf, seriesOf, type ChartMeasure } from './drawn-groups.ts';

const totals = (quota: number, requests: number): UsageTotals => ({
  requests,
  failures: 0,
  quota,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  request_time: 0,
  cache_input: 0,
  cache_read: 0,
  cache_saved: 0,
});
const series = (quota: number[], requests: number[]): UsageSeries => ({
  requests,
  failures: quota.map(() => 0),
  quota,
  tokens: quota.map(() => 0),
  request_time: quota.map(() => 0),
});
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
const group = (id: string, quota: number[], requests: number[]): UsageGroup => ({
  id,
  name: id.toUpperCase(),
  ...totals(sum(quota), sum(requests)),
  series: series(quota, requests),
});
const report = {
  groups: [
    group('dear', [90, 5], [1, 1]),
    group('both', [20, 4], [8, 9]),
    { ...group('listed', [3, 0], [1, 0]), series: null },
    group('busy', [0, 1], [40, 50]),
  ],
  group_count: 9,
  total: { ...totals(130, 120), series: series([118, 12], [55, 65]) },
};
const draw = (measure: ChartMeasure) =>
  seriesOf(report, {
    measure,
    colors: groupColors(report),
    labelOf: ({ name }) => name,
    otherLabel: (count) => `${count} more`,
    value: (value) => value,
  });

test('each chart draws the groups that lead, largest first, and the others as their sum', () => {
  expect(draw('quota').map(({ label, values }) => [label, values])).toEqual([
    ['DEAR', [90, 5]],
    ['BOTH', [20, 4]],
    ['BUSY', [0, 1]],
    ['6 more', [8, 2]],
  ]);
  expect(draw('requests').map(({ label, values }) => [label, values])).toEqual([
    ['BUSY', [40, 50]],
    ['BOTH', [8, 9]],
    ['DEAR', [1, 1]],
    ['6 more', [6, 5]],
  ]);
  expect(draw('tokens')).toEqual([]);
});

test('point labels are as short as they stay unique', () => {
  const at = (dates: string[]) => dates.map((date) => ({ date, start: 0, end: 0 }));
  const labels = (step: 'hour' | 'day' | 'month', dates: string[]) =>
    pointsOf({ step, points: at(dates) }, 'en-US').map(({ label, title }) => [label, title]);
  expect(labels('hour', ['2026-11-19 13:00', '2026-11-19 14:00'])[1]).toEqual(['14:00', '2026-11-19 14:00']);
  expect(labels('hour', ['2026-11-18 13:00', '2026-11-19 14:00'])[1]?.[0]).toBe('11-19 14:00');
  expect(labels('day', ['2026-11-19'])).toEqual([['19 Thu', '2026-11-19 Thu']]);
  const month = Array.from({ length: 30 }, (_, day) => `2026-11-${String(day + 1).padStart(2, '0')}`);
  expect(labels('day', month)[18]).toEqual(['Nov 19', '2026-11-19 Thu']);
  expect(labels('month', ['2026-11'])).toEqual([['2026-11', undefined]]);
});
