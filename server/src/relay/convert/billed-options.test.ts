import { Buffer } from 'node:buffer';
import type { PriceFee, PriceRule, UnpricedPolicy } from '@relay-hub/contract';
import { feeEvents, serviceModes } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { type Json, objectOr, parseJson } from '#json.ts';
import { PriceBook } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { Provider } from '#providers/provider.ts';
import { allProviders } from '#providers/registry.ts';
import { type ChannelFixture, needFixture } from '#providers/testing/fixtures.ts';
import { chatCases } from '#providers/testing/operations.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { offerOf } from '#relay/select/channel-offer.ts';
import type { ChannelChoice, RelayCall } from '#relay/types/call-types.ts';
import { offeredHeaders } from '#relay/upstream/raw-headers.ts';
import { billedOptions, billedPlugins, geminiTools, searchMembers, toolTypes } from '#usage/billed-options.ts';
import { effectiveRequest } from './request-rules.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const plain: Record<DialectId, Json> = {
  openai: { messages },
  responses: { input: 'Hello' },
  anthropic: { messages, max_tokens: 100 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};
const dialects = Object.keys(plain) as DialectId[];

/** Every option of the table, and texts that only it brings into a request. */
const options: [name: string, member: Json, traces: string[]][] = [
  ...['flex', 'priority', 'fast', 'ultrafast', 'scale', 'performance', 'fast_tier_temp_pilot'].map(
    (tier): [string, Json, string[]] => [tier, { service_tier: tier }, [`"${tier}"`]],
  ),
  ['serviceTier', { serviceTier: 'PRIORITY' }, ['PRIORITY']],
  ['Converse’s tier', { serviceTier: { type: 'priority' } }, ['priority']],
  ['latency', { performanceConfig: { latency: 'optimized' } }, ['optimized']],
  ['speed', { speed: 'fast' }, ['"fast"']],
  ['geo', { inference_geo: 'us' }, ['inference_geo']],
  ...toolTypes.map(([type]): [string, Json, string[]] => [type, { tools: [{ type, name: type }] }, [type]]),
  ['a version', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, ['web_search']],
  ['an adviser', { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'dear' }] }, ['dear']],
  ...Object.keys(geminiTools).map((name): [string, Json, string[]] => [name, { tools: [{ [name]: {} }] }, [name]]),
  ...searchMembers.map((name): [string, Json, string[]] => [name, { [name]: true }, [name]]),
  ...Object.keys(billedPlugins).map((id): [string, Json, string[]] => [id, { plugins: [{ id }] }, ['plugins', id]]),
  ['Moonshot’s search', { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }, ['$web_search']],
];

const rules: PriceRule[] = [
  { modes: serviceModes.filter((mode) => mode !== 'standard'), effect: 'multiply', input: 3, output: 3 },
  { regions: ['us'], effect: 'multiply', input: 3, output: 3 },
];
const fees = feeEvents.map((event): PriceFee => ({ event, fee: 1, most: 2 }));
const price = { version: 1, channel_type: 1, type: 'tokens', input: 1, output: 1, extra_ratios: {} } as const;
const book = (model: string, isPriced: boolean) =>
  new PriceBook(
    [
      { ...price, model, ...(isPriced && { rules, fees }) },
      ...(isPriced ? [{ ...price, model: 'dear', input: 9 }] : []),
    ],
    undefined,
  );

const fixtures = new Map<string, ChannelFixture>();

function fixtureOf(id: string): ChannelFixture {
  let found = fixtures.get(id);
  if (!found) fixtures.set(id, (found = needFixture(id, 'channel')));
  return found;
}

/** Plans a call at a channel of a provider; undefined: it cannot take the request at all. */
function planned(
  provider: Provider,
  dialect: DialectId,
  member: Json,
  { model, policy, isPriced = false }: { model: string; policy: UnpricedPolicy; isPriced?: boolean },
) {
  const { base_url: baseUrl = provider.baseUrl, other = '', key } = fixtureOf(provider.id);
  const json = { model, ...plain[dialect], ...member };
  const body = Buffer.from(JSON.stringify(json));
  const channel = {
    id: 1,
    provider,
    baseUrl,
    other,
    plugin: {},
    mapping: new Map(),
    excluded: new Set(),
    unpriced: { tiers: policy, tools: policy },
    preCost: 1,
  } as unknown as LiveChannel; // what planning reads
  const request = readChat(dialect, json, { model, stream: false });
  const call = {
    operation: 'chat',
    dialect,
    request,
    json,
    body,
    group: { symbol: 'default', ratio: 1 },
    caller: {},
    requestId: 'r',
    startedS: 0,
  } as unknown as RelayCall; // likewise
  const offer = offerOf(call, channel);
  if (!offer) return undefined;
  const prices = book(model, isPriced);
  const choice = { ...offer, key: { id: 1, key }, price: prices.find(model)! } as unknown as ChannelChoice;
  const live = { settings: { UnpricedTiers: policy, UnpricedTools: policy }, prices };
  const outgoing = effectiveRequest({ live, now: () => 0 } as unknown as Pick<Deps, 'live' | 'now'>, call, choice);
  return { sent: outgoing.body.toString(), choice, outgoing };
}

interface Tried<T> {
  done?: T;
  refusal?: RelayError;
}

function tried<T>(plan: () => T): Tried<T> {
  try {
    return { done: plan() };
  } catch (error) {
    if (error instanceof RelayError) return { refusal: error };
    throw error;
  }
}

const cases = allProviders()
  .filter(({ chat }) => chat !== undefined)
  .map((provider): [string, Provider] => [provider.id, provider]);

describe.each(cases)('what costs extra at %s', (_, provider) => {
  const models = [...new Set(chatCases(provider).map(({ fixture }) => fixture.model))];

  test.each(dialects)('is refused, removed, or priced, but never passed unpriced: %s', (dialect) => {
    for (const model of models)
      for (const [name, member, traces] of options) {
        const what = `${model}: ${name}`;
        const at = (policy: UnpricedPolicy, isPriced = false) =>
          tried(() => planned(provider, dialect, member, { model, policy, isPriced }));
        const { refusal, done } = at('refuse');
        // Some channels cannot express the request at all.
        if (refusal ? refusal.code !== 'option_not_priced' : !done) continue;
        expect(refusal, what).toBeDefined();

        const removed = at('remove').done!;
        expect(billedOptions(parseJson(removed.sent)), what).toEqual([]);
        for (const trace of traces) expect(removed.sent.includes(trace), `${what}: ${removed.sent}`).toBe(false);
        expect(removed.outgoing.unread, what).toContain(removed.choice.options!.removed[0]);
        // Conversions refuse a hosted tool that the other format does not have.
        const passed = at('pass').done;
        if (passed) expect(passed.choice.options!.unpriced, what).toHaveLength(1);

        const isUnknown = name === 'fast_tier_temp_pilot';
        const dear = at('refuse', true);
        expect(dear.refusal?.code === 'option_not_priced', what).toBe(isUnknown);
        if (!dear.done) continue;
        const { choice } = dear.done;
        if (name === 'an adviser') {
          expect(choice.options!.otherCredits, what).toBeGreaterThan(0);
          continue;
        }
        const isTool = !['service_tier', 'serviceTier', 'performanceConfig', 'speed', 'inference_geo'].some(
          (tier) => tier in member,
        );
        const { request: __, ...events } = choice.options!.events;
        if (isTool)
          expect(
            Object.values(events).some((count) => count > 0),
            what,
          ).toBe(true);
        else expect(choice.rates.perToken.input, what).toBe(3n * choice.price.ratesFor(1).perToken.input);
      }
  });
});

test('functions with the names of Google’s tools are billed where they become these tools', () => {
  const google = cases.find(([id]) => id === 'gemini')![1];
  const openAi = cases.find(([id]) => id === 'openai')![1];
  const named = { name: 'googleSearch', parameters: { type: 'object' } };
  const asked: [DialectId, Json][] = [
    ['openai', { tools: [{ type: 'function', function: named }] }],
    ['responses', { tools: [{ type: 'function', ...named }] }],
    ['anthropic', { tools: [{ name: 'googleSearch', input_schema: {} }] }],
  ];
  for (const [dialect, member] of asked) {
    const at = (provider: Provider) =>
      planned(provider, dialect, member, { model: 'gemini-2.5-pro', policy: 'refuse' });
    expect(tried(() => at(google)).refusal?.code, dialect).toBe('option_not_priced');
    expect(tried(() => at(openAi)).refusal, dialect).toBeUndefined();
  }
});

test('a channel that receives routing fields gets them without what is removed', () => {
  const [, openAi] = cases.find(([id]) => id === 'openai')!;
  const json = { model: 'm', messages, service_tier: 'priority' };
  const body = Buffer.from(JSON.stringify(json));
  const originalBody = Buffer.from(JSON.stringify({ ...json, models: ['n'] }));
  const call = {
    operation: 'chat',
    dialect: 'openai',
    request: readChat('openai', json, { model: 'm', stream: false }),
    json,
    body,
    dropped: { names: ['models'], originalBody },
    group: { symbol: 'default', ratio: 1 },
    caller: {},
  } as unknown as RelayCall; // what planning reads
  const channel = { provider: openAi, baseUrl: '', passesRoutingFields: true, unpriced: {} };
  const choice = {
    channel,
    key: { id: 1 },
    operation: openAi.chat,
    upstreamModel: 'm',
    price: book('m', false).find('m'),
  } as unknown as ChannelChoice; // likewise
  const live = { settings: { UnpricedTiers: 'remove', UnpricedTools: 'refuse' }, prices: book('m', false) };
  const { body: sent } = effectiveRequest({ live, now: () => 0 } as unknown as Deps, call, choice);
  expect(objectOr(parseJson(sent.toString()))).toEqual({ model: 'm', messages, models: ['n'] });
});

test('no header of a caller orders a tier', () => {
  const tiers = [
    'x-amzn-bedrock-service-tier',
    'x-amzn-bedrock-performanceconfig-latency',
    'x-vertex-ai-llm-shared-request-type',
    'x-vertex-ai-llm-request-type',
    'x-gemini-service-tier',
  ];
  expect(offeredHeaders(Object.fromEntries(tiers.map((name) => [name, 'priority'])))).toEqual({});
});
