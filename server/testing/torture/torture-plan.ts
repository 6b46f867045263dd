import type { Behaviour } from '#upstream-simulator/behaviour.ts';

export const leaves = ['before_done', 'before_first_byte', 'during_wait', 'mid_stream'] as const;
/** When a call's client disconnects. */
export type Leave = 'stays' | (typeof leaves)[number];

export interface PlannedCall {
  n: number;
  caller: number;
  stream: boolean;
  leave: Leave;
  /** When an impatient client disconnects. */
  leaveMs: number;
  behaviour: Behaviour;
  /** The upstream reports an implausible usage. */
  lies: boolean;
  /** A member that gives the body a second meaning; empty: none. */
  second: string;
  /** Pause before the next call. */
  pauseMs: number;
}

export interface PlannedEnd {
  how: 'SIGKILL' | 'SIGTERM';
  node: number;
  afterMs: number;
}

/** A parser without regard to case, or for the last of equal names, would read another call. */
const seconds = [
  '"Model":"o1-pro"',
  '"model":"o1-pro"',
  '"\\u006dodel":"o1-pro"',
  '"Max_Tokens":9',
  '"\u017ftream":null',
];
const SECOND_EVERY = 20;

/** Random numbers, reproducible by seed. */
export function chance(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => Math.floor(low + next() * (high - low));
  const pick = <T>(...options: [weight: number, value: T][]): T => {
    let left = next() * options.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of options) if ((left -= weight) < 0) return value;
    return options.at(-1)![1];
  };
  return { next, between, pick };
}

/** An endless sequence of planned calls. */
export function* plannedCalls(seed: number): Generator<PlannedCall> {
  const { between, pick } = chance(seed);
  for (let n = 1; ; n++) {
    const stream = pick<boolean>([6, true], [4, false]);
    const leave = stream
      ? pick<Leave>([55, 'stays'], [10, 'before_first_byte'], [20, 'mid_stream'], [15, 'before_done'])
      : pick<Leave>([70, 'stays'], [30, 'during_wait']);
    const fault = pick<Behaviour['fault']>(
      [80, undefined],
      [3, 'cutMidChunk'],
      [3, 'endWithoutDone'],
      [3, 'errorInStream'],
      [3, 'truncatedJson'],
      [3, 'errorBody200'],
      [2, 'html'],
      [3, 'refuse'],
    );
    const slow = leave === 'before_first_byte' || leave === 'during_wait';
    const status = pick<number>([95, 200], [3, 500], [2, 429]);
    const lies = pick<boolean>([97, false], [3, true]);
    yield {
      n,
      caller: pick<number>([45, 0], [45, 1], [5, 2], [5, 3]),
      stream,
      leave,
      leaveMs: slow ? between(5, 120) : between(20, 300),
      behaviour: {
        delayMs: slow ? between(150, 400) : between(0, 40),
        chunks: between(1, 30),
        chunkMs: pick([3, 0], [5, between(1, 25)]),
        usage: { prompt_tokens: 1000 + n, completion_tokens: lies ? 1_000_000_000 : between(0, 200) },
        ...(fault && { fault }),
        ...(status !== 200 && { status }),
      },
      lies,
      second: n % SECOND_EVERY === 0 ? seconds[(n / SECOND_EVERY) % seconds.length]! : '', // an index within it
      pauseMs: between(0, 24),
    };
  }
}

/** An endless sequence of process ends. */
export function* plannedEnds(seed: number, nodes: number, everyMs: number): Generator<PlannedEnd> {
  const { between, pick } = chance(seed ^ 0x5eed);
  for (;;) {
    yield {
      how: pick<PlannedEnd['how']>([4, 'SIGKILL'], [1, 'SIGTERM']),
      node: between(0, nodes),
      afterMs: between(everyMs / 2, everyMs * 1.5),
    };
  }
}
