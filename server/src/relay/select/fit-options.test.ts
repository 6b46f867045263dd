import { Buffer } from 'node:buffer';
import {
  creditsFor,
  type EventCounts,
  inputTokens,
  noUsage,
  type PriceFee,
  type PriceRule,
  type Usage,
} from '@relay-hub/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Deps } from '#deps.ts';
import { PriceBook } from '#live/price-book.ts';
import { allProviders } from '#providers/registry.ts';
import { reservationOf } from '#relay/call/reservation.ts';
import { settlementOf } from '#relay/call/settlement.ts';
import type { ChannelChoice, FinishedCall, RelayCall } from '#relay/types/call-types.ts';
import type { OtherUsage, ServedReport } from '#usage/served.ts';
import { fitChoice } from './fit-options.ts';

const PROMPT = 30_000;
const OUTPUT = 2000;
const NOW = Date.UTC(2026, 10, 27, 8, 55, 40) / 1000;

/** A request, the rules and fees of its price, and the ways in which a provider may serve it. */
interface Case {
  request: object;
  rules: PriceRule[];
  fees?: PriceFee[];
  served: ServedReport;
  usage?: Partial<Usage>;
  /** Seconds until the attempt that answers begins. */
  delay?: number;
}

const factor = fc.constantFrom(0, 0.1, 0.5, 1, 1.25, 2, 6);
const kinds = fc.record(
  {
    cached_tokens_ratio: factor,
    cached_read_ratio: factor,
    cached_write_ratio: factor,
    cached_write_1h_ratio: factor,
    reasoning_tokens_ratio: factor,
  },
  { requiredKeys: [] },
);
/** Rules with the conditions of one kind. */
const rulesWith = (conditions: fc.Arbitrary<Partial<PriceRule>>): fc.Arbitrary<PriceRule[]> =>
  fc.array(
    fc
      .tuple(conditions, fc.constantFrom('multiply' as const, 'replace' as const), factor, factor, fc.option(kinds))
      .map(([when, effect, input, output, own]) => ({ ...when, effect, input, output, ...(own && { kinds: own }) })),
    { minLength: 1, maxLength: 4 },
  );
const some = <T>(...values: T[]) => fc.subarray(values);

const lengths = fc.record(
  { over: fc.integer({ min: 0, max: 60_000 }), up_to: fc.integer({ min: 0, max: 60_000 }) },
  { requiredKeys: [] },
);
const tiers = ['standard', 'flex', 'priority', 'fast'] as const;
const modes = fc.record({ modes: some(...tiers).filter((list) => list.length > 0) });
const regions = fc.record({ regions: some('us', 'eu', 'regional').filter((list) => list.length > 0) });
const clock = fc.integer({ min: 16 * 60 + 30, max: 17 * 60 + 30 }).map((minute) => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
});
const instant = fc.integer({ min: NOW - 600, max: NOW + 1200 });
const times = fc.oneof(
  fc.record({ zone: fc.constant('Asia/Shanghai'), from: clock, to: clock }),
  fc.record({ zone: fc.constant('Asia/Shanghai'), days: some(4, 5, 6).filter((list) => list.length > 0) }),
  fc.record({ valid_from: instant, valid_to: instant }, { requiredKeys: [] }),
);
const fees: PriceFee[] = [
  { event: 'web_search', fee: 5, most: 3 },
  { event: 'code_session', fee: 15, most: 1 },
  { event: 'request', fee: 1, most: 1 },
];

/** Usage of another model, within the limits of its tool. */
const othersUsage = ({ output, ...model }: { model?: string; output: number }): fc.Arbitrary<OtherUsage> =>
  fc
    .record({ input: fc.nat({ max: PROMPT }), output: fc.nat({ max: output }) })
    .map((used) => ({ ...model, usage: { ...noUsage, ...used } }));
const others = (list: fc.Arbitrary<OtherUsage[]>, events: EventCounts = {}): fc.Arbitrary<ServedReport> =>
  list.map((each) => ({ others: each, events }));

const cases: Record<string, fc.Arbitrary<Case>> = {
  length: fc.record({
    request: fc.constant({}),
    rules: rulesWith(lengths),
    served: fc.record({ promptTokens: fc.integer({ min: PROMPT / 1.5, max: PROMPT * 1.5 }) }),
  }),
  'tier and speed': fc.record({
    request: fc.constant({ service_tier: 'priority', speed: 'fast' }),
    rules: rulesWith(modes),
    served: fc.record({ modes: some('priority' as const, 'fast' as const) }),
  }),
  region: fc.record({
    request: fc.constant({ inference_geo: 'us' }),
    rules: rulesWith(regions),
    served: fc
      .record({ region: fc.constantFrom('us', 'global') })
      .map(({ region }) => (region === 'us' ? { region } : {})),
  }),
  'time of day and validity': fc.record({
    request: fc.constant({}),
    rules: rulesWith(times),
    served: fc.constant({}),
    delay: fc.integer({ min: 0, max: 900 }),
  }),
  'fees per event': fc.record({
    request: fc.constant({
      input: 'Hello',
      max_tool_calls: 2,
      tools: [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }],
    }),
    rules: fc.constant([]),
    fees: fc.subarray(fees, { minLength: 1 }),
    served: fc
      .record({ web_search: fc.nat({ max: 2 }), code_session: fc.nat({ max: 1 }) })
      .map((events: EventCounts) => ({ events })),
  }),
  'kinds of tokens': fc.record({
    request: fc.constant({ messages: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] }),
    rules: rulesWith(fc.record({ reasoning: fc.boolean() }, { requiredKeys: [] })),
    served: fc.constant({}),
    usage: fc
      .constantFrom<keyof Usage>('input', 'cached', 'cacheRead', 'cacheWrite', 'cacheWrite1h')
      .chain((kind) =>
        fc.constantFrom<keyof Usage>('output', 'reasoning').map((made) => ({ [kind]: PROMPT, [made]: OUTPUT })),
      ),
  }),
  'an adviser': fc.record({
    request: fc.constant({
      messages: [],
      tools: [{ type: 'advisor_20260301', model: 'm', max_uses: 2, max_tokens: 500 }],
    }),
    rules: rulesWith(modes),
    served: others(fc.array(othersUsage({ model: 'm', output: 500 }), { maxLength: 2 })),
  }),
  'images of a tool': fc.record({
    request: fc.constant({ input: 'Hello', max_tool_calls: 2, tools: [{ type: 'image_generation', model: 'm' }] }),
    rules: rulesWith(modes),
    served: others(fc.array(othersUsage({ output: 2 * 8192 }), { maxLength: 1 }), { image: 2 }),
  }),
};
cases['all kinds together'] = fc.record({
  request: fc.constant({ service_tier: 'priority', inference_geo: 'us', messages: [{ cache_control: { ttl: '1h' } }] }),
  rules: rulesWith(
    fc.tuple(lengths, fc.option(modes), fc.option(regions), fc.option(times)).map((all) => Object.assign({}, ...all)),
  ),
  served: fc.record(
    {
      promptTokens: fc.integer({ min: PROMPT / 1.5, max: PROMPT * 1.5 }),
      modes: some('priority' as const, 'standard' as const),
      region: fc.constant('us'),
    },
    { requiredKeys: ['promptTokens'] },
  ),
  usage: fc.constantFrom<keyof Usage>('input', 'cached', 'cacheWrite', 'cacheWrite1h').map((kind) => ({
    [kind]: PROMPT,
    output: OUTPUT,
  })),
  delay: fc.integer({ min: 0, max: 900 }),
});

const provider = allProviders().find(({ id }) => id === 'openai')!;
const channel = {
  provider,
  baseUrl: 'https://api.openai.com',
  other: '',
  preCost: 1,
  unpriced: { tiers: 'pass', tools: 'pass' },
};
const terms = { model: 'm', version: 1, channel_type: 1, type: 'tokens', input: 1.5, output: 6 } as const;

/** The reservation and the charge of a call if it is served in this way. */
function reservedAndCharged({ request, rules, fees: own = [], served, usage, delay = 0 }: Case) {
  const price = new PriceBook([{ ...terms, extra_ratios: {}, rules, fees: own }], undefined).find('m')!;
  const body = Buffer.from(JSON.stringify(request));
  const call = {
    operation: 'chat',
    dialect: 'openai',
    json: JSON.parse(body.toString()) as unknown,
    body,
    request: { model: 'm', inputTokens: PROMPT, outputLimit: OUTPUT, stream: false },
    group: { symbol: 'default', ratio: 1.1 },
    caller: {},
    startedS: NOW,
    startMs: 0,
  } as unknown as RelayCall; // what reservation and charge read
  const choice = {
    channel,
    operation: provider.chat,
    price,
    upstreamModel: 'm',
    billedModel: 'm',
  } as unknown as ChannelChoice;
  const live = { settings: { UnpricedTiers: 'pass', UnpricedTools: 'pass' }, prices: { find: () => price } };
  fitChoice({ live, now: () => NOW } as unknown as Pick<Deps, 'live' | 'now'>, call, choice);
  const { credits: reserved } = reservationOf(call, choice, { flat: 0, typical: { of: () => undefined } });
  const used = { ...noUsage, ...(usage ?? { input: PROMPT, output: OUTPUT }) };
  const finished = {
    choice,
    verdict: { outcome: 'answered', usage: used, usageSource: 'upstream', served, code: 'ok' },
    attempts: [{ start: delay * 1000 }],
  } as unknown as FinishedCall;
  const { credits: charged } = settlementOf(call, finished, { now: NOW, prices: live.prices });
  return { reserved, charged, plain: creditsFor(price.ratesFor(1.1), used), prompt: inputTokens(used) };
}

test.each(Object.entries(cases))('a reservation covers the charge, however the call is served: %s', (_, each) => {
  let dearer = 0;
  fc.assert(
    fc.property(each, (one) => {
      const { reserved, charged, plain } = reservedAndCharged(one);
      if (charged > plain) dearer++;
      expect(charged).toBeLessThanOrEqual(reserved);
    }),
    { numRuns: 400 },
  );
  // The cases are dear ones, too.
  expect(dearer).toBeGreaterThan(10);
});
