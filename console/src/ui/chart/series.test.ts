import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupColors, seriesOf } from '#screens/panel/analytics/drawn-groups.ts';
import { fold, mostSeries, otherId, sumAt, type Series } from './series.ts';

const series = Array.from({ length: 9 }, (_, rank) => ({
  id: `m${rank}`,
  label: `m${rank}`,
  values: [rank, rank * 2],
}));
const other = (count: number) => `${count} others`;

test('the largest series that are 90 % of the total stay, the rest is added up', () => {
  const drawn = fold(series, 2, other);
  expect(drawn.map(({ id }) => id)).toEqual(['m8', 'm7', 'm6', 'm5', 'm4', 'm3', otherId]);
  expect(drawn.at(-1)).toMatchObject({
    label: '3 others',
    values: [3, 6],
    total: 9,
    color: 'var(--color-series-other)',
  });
  expect(sumAt(drawn, 1)).toBe(72);
});

test('days without data are zero', () => {
  const [drawn] = fold([{ id: 'a', label: 'a', values: [1, Number.NaN] }], 3, other);
  expect(drawn?.values).toEqual([1, 0, 0]);
});

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 30 });
const value = fc.oneof(fc.nat({ max: 1000 }), fc.nat({ max: 5 }));
const colorsIn = (drawn: readonly Series[]) => drawn.map(({ color }) => color);

test('no two series of a chart share a colour, and others are at most a tenth unless twelve are drawn', () => {
  const random = names.chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.array(value, { minLength: 3, maxLength: 3 }).map((values) => ({ id, label: id, values }))),
    ),
  );
  fc.assert(
    fc.property(random, (some) => {
      const drawn = fold(some, 3, other);
      expect(new Set(colorsIn(drawn)).size).toBe(drawn.length);
      const all = drawn.reduce((sum, { total }) => sum + total, 0);
      const rest = drawn.find(({ id }) => id === otherId)?.total ?? 0;
      if (drawn.length <= mostSeries) expect(rest).toBeLessThanOrEqual(all / 10);
    }),
  );
});

test('on a page of three charts, a group has one colour, and no two groups of a chart share one', () => {
  const sums = fc.record({ quota: value, requests: value, prompt_tokens: value });
  const random = names.chain((ids) => fc.tuple(...ids.map((id) => sums.map((each) => ({ id, ...each })))));
  const empty = {
    failures: 0,
    completion_tokens: 0,
    cached_tokens: 0,
    request_time: 0,
    cache_input: 0,
    cache_read: 0,
    cache_saved: 0,
  };
  fc.assert(
    fc.property(random, (some) => {
      const sum = (of: 'quota' | 'requests' | 'prompt_tokens') => some.reduce((all, each) => all + each[of], 0);
      const seriesOfOne = (quota: number, requests: number, tokens: number) => ({
        quota: [quota],
        requests: [requests],
        tokens: [tokens],
        failures: [0],
        request_time: [0],
      });
      const totals = { quota: sum('quota'), requests: sum('requests'), prompt_tokens: sum('prompt_tokens') };
      const report = {
        groups: some.map((each) => ({
          ...empty,
          ...each,
          name: each.id,
          series: seriesOfOne(each.quota, each.requests, each.prompt_tokens),
        })),
        group_count: some.length,
        total: { ...empty, ...totals, series: seriesOfOne(totals.quota, totals.requests, totals.prompt_tokens) },
      };
      const colors = groupColors(report);
      for (const measure of ['quota', 'requests', 'tokens'] as const) {
        const look = {
          measure,
          colors,
          labelOf: ({ id }: { id: string }) => id,
          otherLabel: other,
          value: (one: number) => one,
        };
        const drawn = fold(seriesOf(report, look), 1, other);
        expect(new Set(colorsIn(drawn)).size).toBe(drawn.length);
        for (const { id, color } of drawn) if (id !== otherId) expect(color).toBe(colors.get(id));
      }
    }),
  );
});
