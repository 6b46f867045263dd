import type { UsageGroup, UsageSeries, UsageTotals } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { averages, drawnGroups, latencyOf, pointsOf } from './drawn-groups.ts';

const totals = (quota: number, requests = 1): UsageTotals => ({
  requests,
  failures: 0,
  quota,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  request_time: requests * 100,
});
const series = (quota: number[], requests = quota.map(() => 1)): UsageSeries => ({
  requests,
  failures: quota.map(() => 0),
  quota,
  tokens: quota.map(() => 0),
  request_time: requests.map((count) => count * 100),
});
const group = (id: string, quota: number[]): UsageGroup => ({
  id,
  name: id.toUpperCase(),
  ...totals(
    quota.reduce((a, b) => a + b, 0),
    quota.length,
  ),
  series: series(quota),
});

test('groups without a series form the rest', () => {
  const report = {
    groups: [group('a', [5, 3]), { ...group('b', [1, 1]), series: null }],
    group_count: 4,
    total: { ...totals(12, 8), series: series([8, 4], [4, 4]) },
  };
  const drawn = drawnGroups(
    report,
    ({ name }) => name,
    (count) => `${count} more`,
  );
  expect(drawn.map(({ label, quota, requests }) => [label, quota, requests])).toEqual([
    ['A', 8, 2],
    ['3 more', 4, 6],
  ]);
  expect(drawn.map((each) => each.series.quota)).toEqual([
    [5, 3],
    [3, 1],
  ]);
  expect(drawn.map(({ color }) => color)).toEqual(['var(--color-series-1)', 'var(--color-series-other)']);
});

test('the rest is absent when empty, and never negative', () => {
  const groups = [group('a', [5, 3])];
  const total = { ...totals(8, 2), series: series([5, 3]) };
  const label = () => '';
  expect(drawnGroups({ groups, group_count: 1, total }, label, label)).toHaveLength(1);
  const [, rest] = drawnGroups(
    { groups, group_count: 2, total: { ...totals(7, 2), series: series([4, 3]) } },
    label,
    label,
  );
  expect([rest?.quota, rest?.series.quota]).toEqual([0, [0, 0]]);
});

test('without calls there is no average', () => {
  expect(averages(series([1, 0, 2], [2, 0, 1]))).toEqual([100, undefined, 100]);
  const [line] = latencyOf(
    drawnGroups(
      { groups: [group('a', [1])], group_count: 1, total: { ...totals(1), series: series([1]) } },
      () => '',
      () => '',
    ),
  );
  expect(line).toMatchObject({ values: [100], whole: 100 });
});

test('point labels are as short as they stay unique', () => {
  const at = (dates: string[]) => dates.map((date) => ({ date, start: 0, end: 0 }));
  const labels = (step: 'hour' | 'day' | 'month', dates: string[]) =>
    pointsOf({ step, points: at(dates) }, 'en-US').map(({ label, title }) => [label, title]);
  expect(labels('hour', ['2026-11-19 13:00', '2026-11-19 14:00'])[1]).toEqual(['14:00', '2026-11-19 14:00']);
  expect(labels('hour', ['2026-11-18 13:00', '2026-11-19 14:00'])[1]?.[0]).toBe('11-19 14:00');
  expect(labels('day', ['2026-11-19'])).toEqual([['11-19', '2026-11-19 Thu']]);
  expect(labels('month', ['2026-11'])).toEqual([['2026-11', undefined]]);
});
