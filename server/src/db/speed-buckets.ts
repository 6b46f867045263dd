/**
 * Histograms of times in milliseconds. Bucket 0 is below 10 ms, bucket `n` ends at `SPEED_BOUNDS[n]` (exclusive), and
 * the last one is open: 15 minutes and more. Never change them: the database stores the numbers of buckets.
 */
export const SPEED_BOUNDS: readonly number[] = boundsOf(10, 900_000, 1.2);

/** The time that a histogram counts; the number is stored. Time to first token exists for streams only. */
export const speedMeasure = { duration: 0, firstToken: 1 } as const;

/** Times that a histogram counts. */
export type SpeedMeasure = (typeof speedMeasure)[keyof typeof speedMeasure];

function boundsOf(first: number, last: number, growth: number): number[] {
  const bounds: number[] = [];
  for (let bound = first; bound < last; bound *= growth) bounds.push(Math.round(bound));
  return [...bounds, last];
}

/** Number of the bucket that counts a time in milliseconds. */
export function speedBucket(ms: number): number {
  let low = 0;
  let high = SPEED_BOUNDS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms < (SPEED_BOUNDS[middle] ?? Infinity)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const FIRST_TOKEN = /"first_response":(\d+)/;
/** A realtime session lasts as long as its client wants. A search for the path alone stops at fewer places. */
const REALTIME = '/v1/realtime"';
const isRealtime = (metadata: string): boolean =>
  metadata.includes(REALTIME) && metadata.includes(`"endpoint":"${REALTIME}`);

/** A call as its log row has it. */
export interface TimedCall {
  failed: boolean;
  /** 0: the row is no call but a correction. */
  requestTimeMs: number;
  /** JSON text. */
  metadata: string;
}

/** The times of a call that histograms count: of successful calls only. */
export function speedsOf({ failed, requestTimeMs, metadata }: TimedCall): [measure: SpeedMeasure, bucket: number][] {
  if (failed || requestTimeMs <= 0 || isRealtime(metadata)) return [];
  const speeds: [SpeedMeasure, number][] = [[speedMeasure.duration, speedBucket(requestTimeMs)]];
  // Not parsed: in a JSON text, the name with bare quotes cannot occur inside a value.
  const first = FIRST_TOKEN.exec(metadata)?.[1];
  if (first !== undefined) speeds.push([speedMeasure.firstToken, speedBucket(Number(first))]);
  return speeds;
}
