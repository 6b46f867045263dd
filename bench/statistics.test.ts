import { expect, test } from 'vitest';
import { delaysBetween } from './measure-streams.ts';
import { median, percentile, formatSpread, spreadOf } from './statistics.ts';

test('median and percentiles do not depend on the order', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  const hundred = Array.from({ length: 100 }, (_, n) => (n * 37) % 100); // 0 to 99, shuffled
  expect([50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([49, 98, 99]);
  expect(percentile([7], 99)).toBe(7);
  expect(percentile([], 50)).toBeNaN();
});

test('a spread ignores undefined values, and prints one number if minimum and maximum are equal', () => {
  expect(spreadOf([undefined, 2, 1])).toEqual({ median: 1.5, min: 1, max: 2 });
  expect(spreadOf([undefined])).toBeUndefined();
  expect(formatSpread({ median: 1.5, min: 1, max: 2 }, 1)).toBe('1.5 (1.0–2.0)');
  expect(formatSpread({ median: 1.51, min: 1.49, max: 1.52 }, 0)).toBe('2 (1–2)');
  expect(formatSpread({ median: 3, min: 3, max: 3 }, 0)).toBe('3');
});

test('of the chunks those count that came while all streams were open', () => {
  expect(delaysBetween({ arrivedUs: [9, 10, 19, 20], tookUs: [1, 2, 3, 4] }, 10, 20)).toEqual([2, 3]);
});
