/** Seconds between polls, by the age of a task in seconds. */
const PAUSES_S: readonly [age: number, pause: number][] = [
  [60, 5],
  [180, 10],
  [600, 20],
  [1200, 60],
  [1800, 120],
];
const LONGEST_S = 240;

interface Scheduled {
  submit_ms: number;
  channel_id: number;
  deadline: number;
}

export interface Strain {
  /** Consecutive polls without a usable answer: each one counts as a step of age. */
  backOff?: number;
  /** Open tasks of a channel that takes one task per request; left out: it takes several. */
  openAlone?: number | undefined;
}

/**
 * When to poll next, in Unix seconds. Tasks of a channel that takes several per request
 * meet at the same moments, and channels are spread over the interval; the others are spread at random.
 */
export function nextPollAt(
  { submit_ms, channel_id, deadline }: Scheduled,
  now: number,
  { backOff = 0, openAlone }: Strain = {},
): number {
  const age = now - Math.floor(submit_ms / 1000);
  const young = PAUSES_S.findIndex(([until]) => age < until);
  const pause = PAUSES_S[(young === -1 ? PAUSES_S.length : young) + backOff]?.[1] ?? LONGEST_S;
  const next =
    openAlone === undefined ? nextMeeting(pause, channel_id, now) : now + jittered(stretched(pause, openAlone));
  return Math.max(now + 1, Math.min(next, deadline));
}

function nextMeeting(pause: number, channelId: number, now: number): number {
  const offset = (channelId * 7) % pause;
  return (Math.floor((now - offset) / pause) + 1) * pause + offset;
}

/** Requests per second for a channel that takes one task per request. */
const ALONE_PER_S = 5;
/** Share of that rate which is used on average: rounds do not start to the millisecond. */
const USED = 0.9;
/** In this time each task has its turn, however many there are. */
const TURN_S = 208;
/** With the wait for a turn less than five minutes. */
const LONGEST_ALONE_S = 270;

/** Most requests per second to a channel that takes one task per request. */
export const requestsPerS = (open: number): number => Math.max(ALONE_PER_S, Math.ceil(open / TURN_S));

/** Limit of requests to such a channel in a time, by all nodes together. */
export const turnsIn = (ms: number, open: number): number => Math.floor((ms / 1000) * requestsPerS(open) * USED);

/** No more tasks become due than requests are allowed. */
const stretched = (pause: number, open: number): number =>
  Math.max(pause, Math.min(LONGEST_ALONE_S, Math.ceil(open / (ALONE_PER_S * USED))));

/** In steps, so that tasks of one round share the statement that plans them. */
const JITTER_STEP_S = 4;
const jittered = (pause: number): number =>
  pause - JITTER_STEP_S * Math.floor((Math.random() * 0.1 * pause) / JITTER_STEP_S);

/** How long a lost task is searched for, where the vendor has a list, and how long its charge is kept otherwise. */
export const FIND_S = 180;
export const LOST_S = 60;
/** Consecutive answers without a task, or without its result, after which it is given up. */
export const MOST_MISSES = 6;
