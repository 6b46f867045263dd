import { expect, test } from 'vitest';
import { discountsOf, presetsOf } from './amount-presets.ts';

test('amounts with a price factor are offered in order, above the minimum', () => {
  expect(presetsOf({ 500: 0.85, 5: 1, 100: 0.9 }, 10)).toEqual([100, 500]);
});

test('without such amounts, usual ones from the minimum on are offered', () => {
  expect(presetsOf({}, 1)).toEqual([10, 50, 100, 500, 1000]);
  expect(presetsOf({ 5: 0.9 }, 100)).toEqual([100, 500, 1000]);
  expect(presetsOf({}, 2500)).toEqual([2500]);
});

test('unreadable discounts count as none', () => {
  expect(discountsOf('{"100":0.9}')).toEqual({ 100: 0.9 });
  expect(discountsOf('')).toEqual({});
  expect(discountsOf('null')).toEqual({});
});
