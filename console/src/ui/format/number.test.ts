import { expect, test } from 'vitest';
import {
  abbreviate,
  formatFixed,
  formatPercent,
  formatPlain,
  formatQuantile,
  formatRate,
  formatSeconds,
  formatWhole,
} from './number.ts';

test.each([
  [0, '0'],
  [9999, '9,999'],
  [10_000, '10.0k'],
  [12_345, '12.3k'],
  [999_949, '999.9k'],
  [999_960, '1.0M'],
  [1_000_000, '1.0M'],
  [999_960_000, '1.0B'],
  [-12_345, '−12.3k'],
])('abbreviates %d as %s', (value, text) => expect(abbreviate(value)).toBe(text));

test('groups, rounds and pads', () => {
  expect(formatWhole(1_204_331)).toBe('1,204,331');
  expect(formatFixed(17_155.68, 2)).toBe('17,155.68');
  expect(formatFixed(2, 2)).toBe('2.00');
  expect(formatPlain(1.875)).toBe('1.875');
  expect(formatPlain(0.1 + 0.2)).toBe('0.3');
});

test('below zero stands a minus, which is no hyphen', () => {
  expect(formatWhole(-1_204_331)).toBe('−1,204,331');
  expect(formatFixed(-2, 2)).toBe('−2.00');
  expect(formatPlain(-1.875)).toBe('−1.875');
  expect(formatPercent(-0.125)).toBe('−12.5%');
  expect(abbreviate(-9999)).toBe('−9,999');
});

test('shares and durations have their unit', () => {
  expect(formatPercent(0.9998)).toBe('99.98%');
  expect(formatPercent(1)).toBe('100%');
  expect(formatSeconds(842)).toBe('0.84 s');
  expect(formatSeconds(13_360)).toBe('13.36 s');
});

test('only all is a hundred percent, and estimates have two digits', () => {
  expect(formatRate(0.999999)).toBe('99.99%');
  expect(formatRate(16 / 17)).toBe('94.12%');
  expect(formatRate(1)).toBe('100%');
  expect([45, 842, 3120, 9960, 12_400, 123_400].map(formatQuantile)).toEqual([
    '0.045 s',
    '0.84 s',
    '3.1 s',
    '10 s',
    '12 s',
    '120 s',
  ]);
});
