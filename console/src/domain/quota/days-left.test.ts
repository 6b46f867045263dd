import { expect, test } from 'vitest';
import { daysLeft } from './days-left.ts';

test('the forecast uses the average since the first day with spending', () => {
  expect(daysLeft(100, [0, 0, 0, 0, 0, 10, 30])).toBe(5);
  expect(daysLeft(100, [0, 0, 0, 0, 0, 0, 0])).toBeUndefined();
  expect(daysLeft(-1, [0, 0, 0, 0, 0, 0, 9])).toBeUndefined();
});
