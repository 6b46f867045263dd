import { expect, test } from 'vitest';
import { areDiscounts, rowsIn, textOf } from './discount-rows.ts';

test('a price factor is shown as percent off, and comes back unchanged', () => {
  const text = '{"100":0.9,"500":0.855}';
  expect(rowsIn(text)).toEqual([
    { amount: '100', off: '10' },
    { amount: '500', off: '14.5' },
  ]);
  expect(textOf(rowsIn(text))).toBe(text);
  expect(areDiscounts(text)).toBe(true);
});

test.each([
  [{ amount: '', off: '10' }],
  [{ amount: '1.5', off: '10' }],
  [{ amount: '100', off: '' }],
  [{ amount: '100', off: '100' }],
  [{ amount: '100', off: '0.123' }],
])('an incomplete row %j is refused', (row) => {
  expect(areDiscounts(textOf([row]))).toBe(false);
});

test('an amount that is there twice is refused', () => {
  const row = { amount: '100', off: '10' };
  expect(areDiscounts(textOf([row, row]))).toBe(false);
});

test('no discounts are valid, and malformed text has none', () => {
  expect(textOf([])).toBe('{}');
  expect(areDiscounts('{}')).toBe(true);
  expect(rowsIn('[')).toEqual([]);
});
