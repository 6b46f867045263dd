import type { PriceInput } from '@relay-hub/contract';
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
  usage: PlannedUsage;
  /** Members of the body that order more than plain tokens. */
  order: Record<string, unknown>;
  /** A member for which the body must be refused; empty: none. */
  refused: string;
  /** Pause before the next call. */
  pauseMs: number;
}

export interface PlannedEnd {
  how: 'SIGKILL' | 'SIGTERM';
  node: number;
  afterMs: number;
}

/** Amount that the upstream bills for a call. */
export interface PlannedUsage {
  prompt: number;
  completion: number;
  /** Tier that served it. */
  tier: 'default' | 'priority' | 'flex';
  searches: number;
}

/** Longest prompt at the base price. */
export const LONG = 10_000;

/** The price of every call: tiers, a length and a fee, so that each call has its own rate. */
export const torturePrice: PriceInput = {
  model: 'torture-*',
  type: 'tokens',
  channel_type: 1,
  input: 1,
  output: 2,
  rules: [
    { over: LONG, effect: 'multiply', input: 2, output: 1.5 },
    { modes: ['priority'], effect: 'multiply', input: 2, output: 2 },
    { modes: ['flex'], effect: 'multiply', input: 0.5, output: 0.5 },
  ],
  fees: [{ event: 'web_search', fee: 0.05, most: 5 }],
};

/** Credits for a usage at this price, calculated without the code under test. */
export function creditsOf({ prompt, completion, tier, searches }: PlannedUsage): number {
  const tokens = prompt > LONG ? 2 * prompt + 3 * completion : prompt + 2 * completion;
  const byTier = { default: tokens, priority: 2 * tokens, flex: Math.ceil(tokens / 2) };
  return byTier[tier] + 50 * searches;
}

/** Members for which a body is refused. */
const refusals = [
  // A parser without regard to case, or for the last of equal names, would read another call.
  '"Model":"o1-pro"',
  '"model":"o1-pro"',
  '"\\u006dodel":"o1-pro"',
  '"Max_Tokens":9',
  '"\u017ftream":null',
  // A tool without a fee.
  '"tools":[{"type":"code_interpreter"}]',
];
const REFUSED_EVERY = 20;
const UNPRICED_EVERY = 7;

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
    const ordered = pick<PlannedUsage['tier'] | undefined>([60, undefined], [25, 'priority'], [15, 'flex']);
    const searching = pick<boolean>([80, false], [20, true]);
    const usage: PlannedUsage = {
      prompt: pick([90, 1000], [10, LONG + 2000]) + n,
      completion: between(0, 200),
      // A tier that was ordered may be unavailable, and the project's own setting may choose one.
      tier: ordered ? pick([70, ordered], [30, 'default']) : pick([95, 'default'], [5, 'flex']),
      searches: searching ? between(0, 6) : 0,
    };
    const order = {
      ...(ordered && { service_tier: ordered }),
      ...(searching && { tools: [{ type: 'web_search' }] }),
      // It has no price, so it must not arrive.
      ...(n % UNPRICED_EVERY === 0 && { speed: 'fast' }),
    };
    yield {
      n,
      caller: pick<number>([40, 0], [40, 1], [5, 2], [5, 3], [5, 4], [5, 5]),
      stream,
      leave,
      leaveMs: slow ? between(5, 120) : between(20, 300),
      behaviour: {
        delayMs: slow ? between(150, 400) : between(0, 40),
        chunks: between(1, 30),
        chunkMs: pick([3, 0], [5, between(1, 25)]),
        tier: usage.tier,
        usage: {
          prompt_tokens: usage.prompt,
          completion_tokens: lies ? 1_000_000_000 : usage.completion,
          server_side_tool_usage_details: { web_search_calls: usage.searches },
        },
        ...(fault && { fault }),
        ...(status !== 200 && { status }),
      },
      lies,
      usage,
      order,
      refused: n % REFUSED_EVERY === 0 ? refusals[(n / REFUSED_EVERY) % refusals.length]! : '', // an index within it
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
