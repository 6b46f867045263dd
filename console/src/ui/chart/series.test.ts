import { expect, test } from 'vitest';
import { fold, otherId, sumAt } from './series.ts';

const series = Array.from({ length: 9 }, (_, rank) => ({
  id: `m${rank}`,
  label: `m${rank}`,
  values: [rank, rank * 2],
}));
const other = (count: number) => `${count} others`;

test('six series stay, largest first, the rest is added up', () => {
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
