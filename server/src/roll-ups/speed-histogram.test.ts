import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SPEED_BOUNDS, speedBucket } from '#db/speed-buckets.ts';
import { mergeSpeeds, quantilesOf } from './speed-histogram.ts';

const histogramOf = (times: readonly number[]): Map<number, number> => {
  const histogram = new Map<number, number>();
  for (const time of times) histogram.set(speedBucket(time), (histogram.get(speedBucket(time)) ?? 0) + 1);
  return histogram;
};
const times = fc.array(fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 899_999 }), fc.constant(1234)));

test('the bounds of a bucket differ by a factor of 1.24 at most', () => {
  for (const [at, bound] of SPEED_BOUNDS.entries()) {
    const low = SPEED_BOUNDS[at - 1];
    if (low !== undefined) expect(bound / low).toBeLessThanOrEqual(1.24);
    expect([speedBucket(bound - 1), speedBucket(bound)]).toEqual([at, at + 1]);
  }
  expect(speedBucket(10_000_000)).toBe(SPEED_BOUNDS.length);
});

test('quantiles are off by less than a bucket, however the calls are distributed', () => {
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.95, 0.99), (some, share) => {
      const { calls, p50, p95, p99 } = quantilesOf(histogramOf(some));
      expect(calls).toBe(some.length);
      const found = share === 0.5 ? p50 : share === 0.95 ? p95 : p99;
      const exact = some.toSorted((a, b) => a - b)[Math.ceil(share * some.length) - 1];
      if (exact === undefined) expect(found).toBeNull();
      else expect(Math.abs((found ?? NaN) - exact)).toBeLessThanOrEqual(exact < 10 ? 10 : exact * 0.24);
    }),
  );
});

test('merged histograms are the histogram of all calls', () => {
  fc.assert(
    fc.property(fc.array(times), (parts) => {
      expect(mergeSpeeds(parts.flatMap((part) => [...histogramOf(part)]))).toEqual(histogramOf(parts.flat()));
    }),
  );
});

test('a time beyond the last bound is reported as the bound', () => {
  expect(quantilesOf(histogramOf([2_000_000])).p50).toBe(900_000);
});
