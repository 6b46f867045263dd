import { type PriceInput, priceInput, type PriceRule } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { readPublicList, withListed } from './public-list.ts';

const now = Date.parse('2026-11-28T00:00:00Z') / 1000;

/** Prices of a list by model, each as the contract takes it. */
function pricesOf(json: unknown): Record<string, PriceInput> {
  const list = readPublicList(json, now);
  return Object.fromEntries(list!.prices.map((price) => [price.model, priceInput.parse(price)]));
}

const multiply = (when: Partial<PriceRule>, input: number, output = input): PriceRule => ({
  ...when,
  effect: 'multiply',
  input,
  output,
});

test('LiteLLM’s keys become a price with rules and fees', () => {
  const openAi = { litellm_provider: 'openai', mode: 'chat' };
  const prices = pricesOf({
    sample_spec: { ...openAi, input_cost_per_token: 1 },
    'gpt-6-sol': {
      ...openAi,
      input_cost_per_token: 2e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 2e-7,
      cache_creation_input_token_cost: 2.5e-6,
      cache_creation_input_token_cost_above_12hr: 5e-6,
      input_cost_per_token_above_272k_tokens: 4e-6,
      output_cost_per_token_above_272k_tokens: 1.5e-5,
      cache_read_input_token_cost_above_272k_tokens: 4e-7,
      input_cost_per_token_priority: 4e-6,
      output_cost_per_token_priority: 2e-5,
      // Equal to the product of both rules.
      input_cost_per_token_above_272k_tokens_priority: 8e-6,
      output_cost_per_token_above_272k_tokens_priority: 3e-5,
      input_cost_per_token_flex: 1e-6,
      output_cost_per_token_flex: 5e-6,
      cache_read_input_token_cost_flex: 1e-7,
      regional_processing_uplift_multiplier_us: 1.1,
      regional_processing_uplift_multiplier_eu: 1.1,
      search_context_cost_per_query: { search_context_size_low: 0.01, search_context_size_high: 0.01 },
    },
    'xai/grok-4.7': {
      litellm_provider: 'xai',
      input_cost_per_token: 2e-6,
      output_cost_per_token: 6e-6,
      input_cost_per_token_above_200k_tokens: 4e-6,
      output_cost_per_token_above_200k_tokens: 1.2e-5,
      input_cost_per_token_batches: 1.6e-6,
    },
    'claude-opus-5-5': {
      litellm_provider: 'anthropic',
      input_cost_per_token: 4e-6,
      output_cost_per_token: 2e-5,
      provider_specific_entry: { us: 1.1, fast: 2 },
    },
    'gemini/gemini-2.5-pro': {
      litellm_provider: 'gemini',
      input_cost_per_token: 1.25e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 1.25e-7,
      input_cost_per_token_flex: 6.25e-7,
      output_cost_per_token_flex: 5e-6,
      cache_read_input_token_cost_flex: 1.25e-7,
      input_cost_per_token_batches: 6.25e-7,
      output_cost_per_token_batches: 5e-6,
      cache_read_input_token_cost_batches: 1.25e-7,
      search_context_cost_per_query: { search_context_size_low: 0.035 },
    },
    'dashscope/qwen-plus-latest': {
      litellm_provider: 'dashscope',
      output_cost_per_reasoning_token: 4e-6,
      tiered_pricing: [
        { range: [0, 256_000], input_cost_per_token: 4e-7, output_cost_per_token: 1.2e-6 },
        { range: [256_000, 1_000_000], input_cost_per_token: 1.2e-6, output_cost_per_token: 3.6e-6 },
      ],
    },
    'text-embedding-9': { litellm_provider: 'openai', mode: 'embedding', input_cost_per_token: 2e-8 },
  });
  expect(prices).toEqual({
    'gpt-6-sol': {
      model: 'gpt-6-sol',
      type: 'tokens',
      channel_type: 1,
      input: 1,
      output: 5,
      extra_ratios: { cached_tokens_ratio: 0.1, cached_write_ratio: 1.25, cached_write_1h_ratio: 2.5 },
      rules: [
        multiply({ over: 272_000 }, 2, 1.5),
        multiply({ modes: ['priority'] }, 2),
        multiply({ modes: ['flex'] }, 0.5),
        multiply({ regions: ['regional'] }, 1.1),
      ],
      fees: [{ event: 'web_search', fee: 5, most: 10 }],
    },
    'grok-4.7': expect.objectContaining({ channel_type: 56, rules: [multiply({ over: 199_999 }, 2)] }) as PriceInput,
    'claude-opus-5-5': expect.objectContaining({
      rules: [multiply({ modes: ['fast'] }, 2), multiply({ regions: ['regional'] }, 1.1)],
    }) as PriceInput,
    'gemini-2.5-pro': expect.objectContaining({
      rules: [{ ...multiply({ modes: ['flex'] }, 0.5), kinds: { cached_tokens_ratio: 1, cached_read_ratio: 1 } }],
      fees: [{ event: 'grounded_prompt', fee: 17.5, most: 1 }],
    }) as PriceInput,
    'batch/gemini-2.5-pro': expect.objectContaining({
      input: 0.3125,
      extra_ratios: { cached_tokens_ratio: 0.2, cached_read_ratio: 0.2 },
    }) as PriceInput,
    'qwen-plus-latest': expect.objectContaining({
      input: 0.2,
      rules: [
        { over: 256_000, effect: 'replace', input: 0.6, output: 1.8 },
        multiply({ reasoning: true }, 1, 3.3333333333),
      ],
    }) as PriceInput,
    'text-embedding-9': expect.objectContaining({ input: 0.01, output: 0.01, extra_ratios: {} }) as PriceInput,
  });
});

test('models.dev states long prompts, of which each band ends where the next begins', () => {
  const cost = {
    input: 1,
    output: 5,
    cache_read: 0.1,
    tiers: [
      { tier: { type: 'context', size: 200_000 }, input: 2, output: 10 },
      { tier: { type: 'context', size: 500_000 }, input: 4, output: 20, cache_read: 0.4 },
    ],
  };
  const older = { input: 3, output: 15, context_over_200k: { input: 6, output: 22.5 } };
  const models = { 'gpt-9': { id: 'gpt-9', cost }, 'gpt-8': { id: 'gpt-8', cost: older } };
  expect(pricesOf({ openai: { id: 'openai', models } })).toMatchObject({
    'gpt-9': {
      input: 0.5,
      rules: [multiply({ over: 200_000, up_to: 500_000 }, 2), multiply({ over: 500_000 }, 4)],
    },
    'gpt-8': { rules: [multiply({ over: 200_000 }, 2, 1.5)] },
  });
});

test('OpenRouter keeps its names, and its overrides become rules', () => {
  const pricing = {
    prompt: '0.000002',
    completion: '0.000006',
    web_search: '0.005',
    request: '0',
    image: '0',
    overrides: [
      { min_prompt_tokens: 200_000, prompt: '0.000004', completion: '0.000012' },
      { utc_start: 1630, utc_end: 0, utc_days: [0, 6], prompt: '0.000001', completion: '0.000003' },
    ],
  };
  expect(pricesOf({ data: [{ id: 'x-ai/grok-4.7', pricing }] })['x-ai/grok-4.7']).toMatchObject({
    channel_type: 56,
    input: 1,
    output: 3,
    rules: [multiply({ over: 200_000 }, 2), multiply({ zone: 'UTC', days: [7, 6], from: '16:30', to: '24:00' }, 0.5)],
    fees: [{ event: 'web_search', fee: 2.5, most: 10 }],
  });
});

test('genai-prices has dates: the price of today, and later ones as rules', () => {
  const models = [
    {
      id: 'claude-9',
      match: {},
      prices: [
        { prices: { input_mtok: 9, output_mtok: 9 } },
        { constraint: { start_date: '2026-01-01' }, prices: { input_mtok: 3, output_mtok: 15, cache_read_mtok: 0.3 } },
        { constraint: { start_date: '2027-01-01' }, prices: { input_mtok: 4, output_mtok: 20, cache_read_mtok: 0.4 } },
      ],
    },
    {
      id: 'claude-8',
      match: {},
      prices: {
        input_mtok: { base: 3, tiers: [{ start: 200_000, price: 6 }] },
        output_mtok: 15,
        web_searches_kcount: 10,
      },
      price_variants: [
        { when: { service_tier: 'flex' }, prices: { input_mtok: 1.5, output_mtok: 7.5 } },
        { when: { speed: 'fast' }, prices: { input_mtok: 6, output_mtok: 30 } },
      ],
    },
  ];
  expect(pricesOf([{ id: 'anthropic', models }])).toMatchObject({
    'claude-9': {
      input: 1.5,
      extra_ratios: { cached_tokens_ratio: 0.1 },
      rules: [{ valid_from: Date.parse('2027-01-01') / 1000, effect: 'replace', input: 2, output: 10 }],
    },
    'claude-8': {
      rules: [multiply({ over: 200_000 }, 2, 1), multiply({ modes: ['flex'] }, 0.5)],
      fees: [{ event: 'web_search', fee: 5, most: 10 }],
    },
  });
});

test('what is unknown, wrong or free in a list is named and not taken over', () => {
  const list = readPublicList(
    {
      'gpt-x': {
        litellm_provider: 'openai',
        input_cost_per_token: 1e-6,
        output_cost_per_token: 1e-6,
        input_cost_per_mood: 1,
      },
      'gpt-free': { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 0 },
      'gpt-text': { litellm_provider: 'openai', input_cost_per_token: '1e999', output_cost_per_token: -1 },
      'dashscope/glm-9': { litellm_provider: 'dashscope', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
      'azure/gpt-x': { litellm_provider: 'azure', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
      'deepseek/deepseek-flash': {
        litellm_provider: 'deepseek',
        input_cost_per_token: 3e-7,
        output_cost_per_token: 1.2e-6,
        off_peak_pricing: { windows: [] },
      },
      constructor: { litellm_provider: 'constructor' },
      broken: null,
    },
    now,
  )!;
  expect(list.prices.map(({ model }) => model)).toEqual(['gpt-x']);
  expect(list.remarks.map(({ model, field, remark }) => `${remark} ${model} ${field}`).toSorted()).toEqual([
    'known_error deepseek-flash off_peak_pricing',
    'no_price gpt-free ',
    'no_price gpt-text ',
    'other_provider  azure',
    'other_provider  constructor',
    'other_provider glm-9 ',
    'unknown_field gpt-text input_cost_per_token',
    'unknown_field gpt-text output_cost_per_token',
    'unknown_field gpt-x input_cost_per_mood',
  ]);
});

test.each([[[]], [{}], [null], ['text'], [[{ model: 'a', type: 'tokens' }]], [{ data: [{ id: 1, pricing: {} }] }]])(
  '%j is no public list',
  (json) => expect(readPublicList(json, now)).toBeUndefined(),
);

test('what a list does not say of a price stays', () => {
  const before: PriceInput = {
    model: 'gpt-9',
    type: 'tokens',
    channel_type: 7,
    input: 1,
    output: 5,
    extra_ratios: { cached_tokens_ratio: 0.1, cached_write_ratio: 1.25 },
    rules: [
      multiply({ modes: ['ultrafast'] }, 6),
      multiply({ modes: ['priority'] }, 2),
      multiply({ over: 200_000 }, 2),
    ],
    fees: [
      { event: 'web_search', fee: 5, most: 20 },
      { event: 'file_search', fee: 1.25, most: 10 },
    ],
  };
  const listed: PriceInput = {
    ...before,
    channel_type: 1,
    input: 2,
    extra_ratios: { cached_tokens_ratio: 0.05 },
    rules: [multiply({ over: 300_000 }, 2), multiply({ modes: ['priority'] }, 2.5)],
    fees: [{ event: 'web_search', fee: 6, most: 10 }],
  };
  expect(withListed(listed, before)).toEqual({
    ...before,
    input: 2,
    extra_ratios: { cached_tokens_ratio: 0.05, cached_write_ratio: 1.25 },
    rules: [
      multiply({ over: 300_000 }, 2),
      multiply({ modes: ['priority'] }, 2.5),
      multiply({ modes: ['ultrafast'] }, 6),
    ],
    fees: [
      { event: 'web_search', fee: 6, most: 20 },
      { event: 'file_search', fee: 1.25, most: 10 },
    ],
  });
  // A list without a price of cached tokens: a new model does not get the default of half the input.
  expect(withListed({ ...listed, extra_ratios: {} }, undefined).extra_ratios).toEqual({
    cached_tokens_ratio: 1,
    cached_read_ratio: 1,
  });
});
