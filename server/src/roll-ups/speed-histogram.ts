import type { SpeedQuantiles } from '@relay-hub/contract';
import { SPEED_BOUNDS } from '#db/speed-buckets.ts';

/** Number of calls by bucket; see `speed-buckets.ts`. Absent buckets are empty. */
type SpeedHistogram = ReadonlyMap<number, number>;

/** Merges entries of histograms: the sum of each bucket. */
export function mergeSpeeds(entries: Iterable<readonly [bucket: number, calls: number]>): Map<number, number> {
  const merged = new Map<number, number>();
  for (const [bucket, calls] of entries) merged.set(bucket, (merged.get(bucket) ?? 0) + calls);
  return merged;
}

/** The quantiles of a histogram. */
export function quantilesOf(histogram: SpeedHistogram): SpeedQuantiles {
  const buckets = [...histogram].filter(([, calls]) => calls > 0).toSorted(([a], [b]) => a - b);
  const calls = buckets.reduce((sum, [, count]) => sum + count, 0);
  const at = (share: number) => (calls === 0 ? null : quantileOf(buckets, Math.max(1, Math.ceil(share * calls))));
  return { calls, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * The `rank`-th smallest time, estimated. The true one is in the same bucket, and the bounds of a bucket differ by a
 * factor of at most 1.24 (about 1.2 above 100 ms), so the estimate is off by less than 24 %, or 10 ms in the first
 * bucket. It is placed on the logarithmic scale by its rank within the bucket, which on dense data is off by far less.
 * Times of 15 minutes and more are reported as 15 minutes.
 */
function quantileOf(buckets: readonly (readonly [bucket: number, calls: number])[], rank: number): number {
  let before = 0;
  for (const [bucket, calls] of buckets) {
    if (before + calls >= rank) {
      const share = (rank - before - 0.5) / calls;
      const [low, high] = [SPEED_BOUNDS[bucket - 1], SPEED_BOUNDS[bucket]];
      if (low === undefined) return Math.round(share * (high ?? 0));
      return high === undefined ? low : Math.round(low * (high / low) ** share);
    }
    before += calls;
  }
  return SPEED_BOUNDS.at(-1) ?? 0;
}
