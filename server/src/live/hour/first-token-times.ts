/** Bounds grow by a fifth from 20 ms to 260 s, so a percentile is off by less than a tenth. */
const FIRST_MS = 20;
const STEP = Math.log(1.2);
const BUCKETS = 52;

/** How many times fall into each bucket. */
export type FirstTokenTimes = Uint32Array;

export const noTimes = (): FirstTokenTimes => new Uint32Array(BUCKETS);

/** Counts a time in milliseconds. */
export function addTime(times: FirstTokenTimes, ms: number): void {
  const at = ms <= FIRST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / FIRST_MS) / STEP));
  times[at] = (times[at] ?? 0) + 1;
}

export function addTimes(into: FirstTokenTimes, more: FirstTokenTimes): void {
  for (let at = 0; at < BUCKETS; at++) into[at] = (into[at] ?? 0) + (more[at] ?? 0);
}

export function countOf(times: FirstTokenTimes): number {
  let count = 0;
  for (const each of times) count += each;
  return count;
}

/** The time below which a share (0 to 1) lies, in whole milliseconds; null without any. */
export function percentile(times: FirstTokenTimes, share: number): number | null {
  const count = countOf(times);
  if (count === 0) return null;
  let left = share * count;
  let at = 0;
  while (at < BUCKETS - 1 && left > (times[at] ?? 0)) left -= times[at++] ?? 0;
  const within = (times[at] ?? 0) === 0 ? 0 : left / (times[at] ?? 1);
  return Math.round(FIRST_MS * Math.exp(STEP * (at - 1 + within)));
}

/** Only the buckets that are not empty: number and count, one after the other. */
export function timesAsList(times: FirstTokenTimes): number[] {
  const list: number[] = [];
  times.forEach((count, at) => count > 0 && list.push(at, count));
  return list;
}

/** The opposite of `timesAsList`. */
export function timesFromList(list: readonly number[]): FirstTokenTimes {
  const times = noTimes();
  for (let at = 0; at + 1 < list.length; at += 2) {
    const bucket = list[at] ?? 0;
    if (bucket < BUCKETS) times[bucket] = list[at + 1] ?? 0;
  }
  return times;
}
