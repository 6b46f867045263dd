import { expect, test } from 'vitest';
import { bandScale, linearScale } from './scale.ts';

test('round steps reach the largest value', () => {
  expect(linearScale(1676.7, 4, 192, 8).ticks).toEqual([0, 500, 1000, 1500, 2000]);
  expect(linearScale(3.4, 4, 0, 1).ticks).toEqual([0, 1, 2, 3, 4]);
  expect(linearScale(7, 4, 0, 1).ticks).toEqual([0, 2, 4, 6, 8]);
  expect(linearScale(0.000006, 4, 0, 1).ticks).toEqual([0, 0.000002, 0.000004, 0.000006]);
  expect(linearScale(0.3, 4, 0, 1).ticks).toEqual([0, 0.1, 0.2, 0.3]);
});

test('nothing has a scale too', () => {
  const { ticks, at } = linearScale(0, 4, 200, 0);
  expect(ticks[0]).toBe(0);
  expect(at(0)).toBe(200);
});

test('values stand between the ends', () => {
  const { at } = linearScale(2000, 4, 192, 8);
  expect(at(0)).toBe(192);
  expect(at(2000)).toBe(8);
  expect(at(1000)).toBe(100);
});

test('bands fill their place', () => {
  const { step, width, start } = bandScale({ count: 7, from: 0, to: 720, inner: 0.4, outer: 0.3 });
  expect(step).toBeCloseTo(100);
  expect(width).toBeCloseTo(60);
  expect(start(0)).toBeCloseTo(30);
  expect(start(6) + width + step * 0.3).toBeCloseTo(720);
});
