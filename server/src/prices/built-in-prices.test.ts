import {
  type EventCounts,
  explainCharge,
  noUsage,
  priceInput,
  rulesFor,
  type Served,
  type Usage,
} from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import owners from './built-in-owners.json' with { type: 'json' };
import rows from './built-in-prices.json' with { type: 'json' };

const prices = rows.map((row) => priceInput.parse(row));
const names = prices.map((price) => price.model);
const priceOf = (model: string) => prices.find((price) => price.model === model);

/** How a call is served unless a case says otherwise; a Saturday. */
const plainly: Served = {
  modes: [],
  region: undefined,
  promptTokens: 1000,
  reasoning: false,
  at: Date.parse('2026-11-28T12:00:00Z') / 1000,
};

/** The charge of a call by the built-in price of its model. */
function charged(model: string, usage: Partial<Usage>, served: Partial<Served> = {}, events?: EventCounts): number {
  const price = priceOf(model)!;
  const rules = rulesFor(price.rules ?? [], { ...plainly, reasoning: (usage.reasoning ?? 0) > 0, ...served });
  return explainCharge(price, 1, { ...noUsage, ...usage }, { rules, events }).credits;
}

/** Credits of an amount in dollars, rounded up as every charge is. */
const creditsOf = (dollars: number): number => Math.ceil(Number((dollars * 500_000).toFixed(6)));

/** The price row of a model: its name, else the longest prefix. */
function rowFor(model: string): string | undefined {
  if (names.includes(model)) return model;
  const fitting = names.filter((name) => name.endsWith('*') && model.startsWith(name.slice(0, -1)));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

describe('the built-in prices', () => {
  test('are what the contract takes, nothing more', () => {
    expect(prices).toEqual(rows);
  });

  test('name each model once, by owner and name', () => {
    const order = (a: (typeof prices)[0], b: (typeof prices)[0]) =>
      a.channel_type - b.channel_type || (a.model < b.model ? -1 : 1);
    expect(new Set(names).size).toBe(names.length);
    expect(prices.toSorted(order)).toEqual(prices);
  });

  test('have owners', () => {
    const known = new Set(owners.map((owner) => owner.id));
    expect(prices.filter((price) => !known.has(price.channel_type))).toEqual([]);
  });

  test('cover every Midjourney action in every mode, under the names that are looked up', () => {
    const midjourney = prices.filter((price) => price.type === 'times' && price.channel_type === 34);
    expect(midjourney).toHaveLength(48);
    expect([
      priceOf('mj_swap_face')?.input,
      priceOf('mj_relax_imagine')?.input,
      priceOf('mj_turbo_upload')?.input,
    ]).toEqual([25, 50, 0]);
    expect(midjourney.every((price) => price.input === price.output)).toBe(true);
  });

  test.each([
    ['gpt-4o-2024-08-06', 'gpt-4o-2024*'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini-2024*'],
    ['gpt-4o-mini-tts-2025-12-15', 'gpt-4o-mini-tts-2025*'],
    ['gpt-4o-mini-unknown', undefined],
    ['gpt-5-2025-08-07', 'gpt-5-2025*'],
    ['gpt-5-codex', 'gpt-5-codex'],
    ['gpt-5-unknown', undefined],
    ['gpt-5.2-2025-12-11', 'gpt-5.2-2025*'],
    ['gpt-5.5-pro-2026-04-23', 'gpt-5.5-pro-2026*'],
    ['claude-sonnet-5-5-20260901', 'claude-sonnet-5-5-*'],
    ['claude-3-5-haiku-latest', 'claude-3-5-haiku-latest'],
    ['omni-moderation-latest', 'omni-moderation-latest'],
    ['gemini-3-pro-preview', 'gemini-3-pro-preview'],
    ['claude-opus-4-20250514', 'claude-opus-4-2025*'],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1-*'],
    ['claude-opus-4-5-20251101', 'claude-opus-4-5-*'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-*'],
    ['claude-opus-5-5', 'claude-opus-5-5'],
  ])('%s is charged by %s', (model, row) => {
    expect(rowFor(model)).toBe(row);
  });

  const million = 1_000_000;
  test.each<[string, Partial<Usage>, number]>([
    ['gpt-4o', { input: million }, 2.5],
    ['gpt-4o', { cached: million }, 1.25],
    ['gpt-5-nano', { cached: million }, 0.005],
    ['o4-mini', { cached: million, reasoning: million }, 0.275 + 4.4],
    ['claude-opus-4-1', { cacheRead: million, cacheWrite: million }, 1.5 + 18.75],
    ['claude-sonnet-4-6', { cacheWrite1h: million, output: million }, 6 + 15],
    ['gemini-2.5-flash', { cached: million, inputAudio: million, output: million }, 0.03 + 1 + 2.5],
    ['deepseek-reasoner', { cached: million, output: million }, 0.028 + 0.42],
    ['grok-4', { cached: million }, 0.75],
    ['gpt-5.2', { input: million, cached: million, output: million }, 1.75 + 0.175 + 14],
    ['gpt-5.6', { input: million, output: million }, 4 + 20],
    ['gpt-6.1-sol', { cached: million, output: million }, 0.1 + 10],
    ['gpt-4o-mini-tts', { input: million, outputAudio: million }, 0.6 + 12],
    ['gpt-4o-transcribe', { inputAudio: million, output: million }, 2.5 + 10],
    ['gpt-image-1', { input: million, inputImage: million, outputImage: million }, 5 + 10 + 40],
    ['gpt-image-1.5', { output: million, outputImage: million }, 10 + 32],
    ['gpt-realtime', { cached: million, inputAudio: million, outputAudio: million }, 0.4 + 32 + 64],
    ['omni-moderation-latest', { input: million }, 0],
    ['claude-3-5-haiku-latest', { input: million, output: million }, 0.8 + 4],
    ['claude-sonnet-5-5', { cacheRead: million, cacheWrite: million }, 0.1 + 2.5],
    ['gemini-3-pro-preview', { cached: million, output: million }, 0.2 + 12],
    ['gemini-3-flash-preview', { inputAudio: million }, 1],
    ['gemini-embedding-001', { input: million }, 0.15],
    ['gemini-2.5-flash-image', { outputImage: million }, 30],
    ['imagen-4.0-ultra-generate-001', { input: 1000 }, 0.06],
    ['deepseek-v4-pro', { cached: million, output: million }, 0.022 + 1.98],
    ['MiniMax-M2.5', { cacheRead: million, cacheWrite: million }, 0.03 + 0.375],
    ['doubao-seed-2-1-pro*', { input: million, output: million }, 0.8625 + 4.3125],
    ['kimi-k3', { cacheWrite: million, cacheWrite1h: million }, 3 + 6],
    ['gpt-6-sol', { cacheWrite: million, cacheWrite1h: million }, 2.5 + 5],
    ['claude-opus-5-5', { cacheRead: million, cached: million }, 0.2 + 0.2],
    ['grok-4.7', { input: million, output: million }, 2 + 6],
    ['mistral-large-4', { input: million }, 0.7],
    ['qwen-plus', { reasoning: million }, 4],
    ['kimi-k3', { cached: million }, 0.3],
    ['glm-5.3', { output: million }, 4.4],
  ])('%s, %o: $%d', (model, usage, dollars) => {
    expect(charged(model, usage)).toBe(creditsOf(dollars));
  });
});

/** Seconds of a time in China. */
const beijing = (time: string): number => Date.parse(`${time}+08:00`) / 1000;

/** Worked out by hand from the providers' rules; the first ones are whole calls. */
describe('the rules of the built-in prices', () => {
  const million = 1_000_000;
  const longSol = { input: 30_000, cached: 250_000, cacheWrite: 20_000, output: 4000 };
  const haiku = { input: 500, cacheRead: 99_400, cacheWrite: 200, output: 1000 };
  const flash = { input: 2000, cached: 8000, output: 1000 };
  const opus = { input: 1000, cacheRead: 50_000, cacheWrite: 2000, cacheWrite1h: 1000, output: 3000 };
  const both = { input: million, output: million };

  test.each<[string, Partial<Usage>, Partial<Served>, EventCounts, number]>([
    ['gpt-6-sol', longSol, { promptTokens: 300_000, modes: ['priority'], region: 'us' }, {}, 0.836],
    ['gpt-6-sol', longSol, {}, {}, 0.2],
    ['claude-haiku-5-5', haiku, { promptTokens: 100_100 }, {}, 0.007845],
    ['claude-haiku-5-5', haiku, { promptTokens: 100_000 }, {}, 0.001569],
    ['deepseek-flash', flash, { at: beijing('2026-11-30T09:00:00') }, {}, 0.001848],
    ['deepseek-flash', flash, { at: beijing('2026-11-30T08:59:59') }, {}, 0.000924],
    ['deepseek-flash', flash, { at: beijing('2026-11-30T12:00:00') }, {}, 0.000924],
    ['deepseek-flash', flash, { at: beijing('2026-11-30T17:59:59') }, {}, 0.001848],
    ['deepseek-flash', flash, { at: beijing('2026-11-28T10:00:00') }, {}, 0.000924],
    ['deepseek-flash', flash, { at: beijing('2026-10-01T10:00:00') }, {}, 0.000924],
    ['deepseek-v4-pro', both, { at: beijing('2026-12-01T15:00:00') }, {}, 1.32 + 3.96],
    ['gpt-5.6-luna', { input: 3, cacheWrite: 18_011, output: 100 }, {}, {}, 0.00462335],
    ['gemini-3.8-flash', {}, {}, { web_search: 2 }, 0.028],
    ['gemini-2.5-flash', {}, {}, { grounded_prompt: 1 }, 0.035],
    ['claude-opus-5-5', opus, { modes: ['fast'], region: 'us' }, { web_search: 4 }, 0.2424],

    // OpenAI: tiers by model, long prompts, regions, tools.
    ['gpt-5', { input: million, cached: million, output: million }, { modes: ['flex'] }, {}, 0.625 + 0.0625 + 5],
    ['gpt-5.1', both, { modes: ['priority'] }, {}, 2.5 + 20],
    ['gpt-5-mini', both, { modes: ['priority'] }, {}, 0.45 + 3.6],
    ['gpt-5.5', both, { modes: ['priority'] }, {}, 12.5 + 75],
    ['gpt-4.1', both, { modes: ['priority'] }, {}, 3.5 + 14],
    ['gpt-4o-mini', { ...both, cached: million }, { modes: ['priority'] }, {}, 0.25 + 1 + 0.125],
    ['o4-mini', { ...both, cached: million }, { modes: ['priority'] }, {}, 2 + 8 + 0.5],
    ['gpt-6-astra', both, { modes: ['ultrafast'] }, {}, 60 + 300],
    ['gpt-6-astra', { cacheWrite1h: million }, { modes: ['priority'], promptTokens: 272_001 }, {}, 100],
    ['gpt-5.4', both, { promptTokens: 272_000 }, {}, 2.5 + 15],
    ['gpt-5.4', both, { promptTokens: 272_001 }, {}, 5 + 22.5],
    ['gpt-5.4', both, { promptTokens: 272_001, modes: ['flex'] }, {}, 2.5 + 11.25],
    ['gpt-5.4', both, { region: 'eu' }, {}, (2.5 + 15) * 1.1],
    ['gpt-5.2', both, { region: 'eu' }, {}, 1.75 + 14],
    ['gpt-5.2', {}, {}, { web_search: 7, file_search: 2, code_session: 4 }, 0.07 + 0.005 + 0.12],
    ['gpt-4o', {}, {}, { web_search: 1 }, 0.025],
    ['o3-deep-research', {}, {}, { web_search: 40 }, 0.4],
    ['gpt-5-search-api', {}, {}, { request: 1 }, 0.01],
    ['gpt-4o-search-preview', {}, {}, { request: 1 }, 0.025],
    ['batch/gpt-4.1', { cached: million, output: million }, {}, {}, 1 + 4],

    // Claude at Anthropic, Bedrock and Vertex.
    ['claude-opus-4-8', both, { modes: ['fast'] }, {}, 10 + 50],
    ['claude-opus-4-6', both, { modes: ['fast'] }, {}, 5 + 25],
    ['claude-sonnet-4-6', both, { region: 'us' }, {}, 3.3 + 16.5],
    ['claude-haiku-4-5', both, { region: 'apac' }, {}, 1.1 + 5.5],
    ['claude-opus-4-1', both, { region: 'europe-west1' }, {}, 15 + 75],
    ['claude-sonnet-4-5', both, { promptTokens: 200_001 }, {}, 6 + 22.5],
    ['claude-sonnet-4-6', both, { promptTokens: 900_000 }, {}, 3 + 15],
    ['claude-sonnet-5-5', {}, {}, { web_search: 3, code_session: 1 }, 0.03 + 0.05 / 12],

    // Gemini and Vertex.
    ['gemini-2.5-pro', both, { promptTokens: 200_001 }, {}, 2.5 + 15],
    ['gemini-2.5-pro', { input: million, cached: million }, { modes: ['flex'] }, {}, 0.625 + 0.125],
    ['gemini-3.8-flash', { input: million, cached: million }, { modes: ['flex'] }, {}, 0.375 + 0.0375],
    ['gemini-3.1-pro-preview', { ...both, cached: million }, { modes: ['priority'] }, {}, 3.6 + 21.6 + 0.36],
    ['gemini-3.5-flash', both, { region: 'europe-west4' }, {}, (1.5 + 9) * 1.1],
    ['gemini-2.5-pro', both, { region: 'europe-west4' }, {}, 1.25 + 10],
    ['gemini-3.6-flash', both, { at: Date.parse('2026-12-31T23:59:59-08:00') / 1000 }, {}, 0.75 + 3.75],
    ['gemini-flash-latest', both, { at: Date.parse('2027-01-01T00:00:00-08:00') / 1000 }, {}, 1.5 + 7.5],
    ['gemini-4-argon', both, { at: Date.parse('2026-11-30T23:59:59-08:00') / 1000 }, {}, 2 + 10],
    ['gemini-4-argon', both, { at: Date.parse('2026-12-01T00:00:00-08:00') / 1000 }, {}, 4 + 20],
    ['gemini-2.5-flash', {}, {}, { map_search: 1 }, 0.025],
    ['batch/gemini-2.5-pro', { input: million, cached: million }, {}, {}, 0.625 + 0.125],

    // xAI.
    ['grok-4.7', both, { promptTokens: 199_999 }, {}, 2 + 6],
    ['grok-4.7', both, { promptTokens: 200_000 }, {}, 4 + 12],
    ['grok-4.5', { cached: million }, { modes: ['priority'] }, {}, 0.6],
    ['grok-4.6', both, { region: 'us' }, {}, 2.2 + 6.6],
    ['grok-4.3', both, { region: 'us' }, {}, 1.25 + 2.5],
    [
      'grok-4.7',
      {},
      {},
      { web_search: 2, code_session: 1, post_read: 30, profile_read: 1 },
      0.01 + 0.005 + 0.15 + 0.01,
    ],

    // Steps of Qwen and Doubao, and Qwen's thinking.
    ['qwen3-max', both, { promptTokens: 32_000 }, {}, 1.2 + 6],
    ['qwen3-max', both, { promptTokens: 32_001 }, {}, 2.4 + 12],
    ['qwen3-max', both, { promptTokens: 200_000 }, {}, 3 + 15],
    ['qwen3-coder-plus', { input: million, cached: million }, { promptTokens: 300_000 }, {}, 6 + 0.6],
    ['qwen-plus', both, { promptTokens: 256_001 }, {}, 1.2 + 3.6],
    ['qwen-plus', both, { reasoning: true }, {}, 0.4 + 4],
    ['qwen-plus', both, { reasoning: true, promptTokens: 256_001 }, {}, 1.2 + 12],
    ['qwen-turbo', both, { reasoning: true }, {}, 0.05 + 0.5],
    ['doubao-seed-2-0-pro*', both, { promptTokens: 130_000 }, {}, 1.4 + 7],

    // MiniMax, Moonshot, Groq.
    ['MiniMax-M3', both, { promptTokens: 512_001 }, {}, 0.6 + 2.4],
    ['kimi-k3.1-pro', {}, {}, { web_search: 1 }, 0.005],
    ['openai/gpt-oss-120b', { input: million }, {}, { web_search: 1 }, 0.15 + 0.005],
  ])('%s, %o, %o, %o: $%d', (model, usage, served, events, dollars) => {
    expect(charged(model, usage, served, events)).toBe(creditsOf(dollars));
  });

  test('do not say anything twice', () => {
    const repeated = prices.filter(
      ({ rules = [] }) => new Set(rules.map((rule) => JSON.stringify(rule))).size < rules.length,
    );
    expect(repeated.map(({ model }) => model)).toEqual([]);
  });

  test('give models of one snapshot the rules and fees of their undated names', () => {
    const differing = prices.filter(({ model, rules, fees }) => {
      const undated = priceOf(model.replace(/-(?:20\d\d)?\*$/, ''));
      return (
        model.endsWith('*') &&
        undated &&
        JSON.stringify([undated.rules, undated.fees]) !== JSON.stringify([rules, fees])
      );
    });
    expect(differing.map(({ model }) => model)).toEqual([]);
  });
});

/** Dollars per call, or per second, by the vendors' lists; a name per second is charged by units. */
describe('the built-in prices of videos and image tools', () => {
  test.each([
    ['veo-3.1-generate-001_second', 8, 3.2],
    ['veo-3.1-fast-generate-001_1080p_second', 8, 0.96],
    ['veo-3.1-fast-generate-001_4k_second', 4, 1.2],
    ['gemini-omni-1.1-flash_720p_second', 10, 1],
    ['grok-imagine-video_480p_second', 5, 0.25],
    ['grok-imagine-video-1.5_1080p_second', 15, 3.75],
    ['grok-imagine-video-1.5-lite_720p_second', 1, 0.03],
    ['ray-3.2_540p_5', 1, 0.15],
    ['ray-3.2_540p_10', 1, 0.45],
    ['ray-3.2_720p_10', 1, 0.9],
    ['ray-3.2_1080p_10', 1, 3.6],
    ['recraft_vectorize', 1, 0.01],
    ['recraft_crispUpscale', 1, 0.004],
    ['recraft_generativeUpscale', 1, 0.25],
    ['recraft_imageToImage', 2, 0.08],
    ['recraft_styles', 1, 0.04],
  ])('%s, %d units: $%d', (model, units, dollars) => {
    const price = priceOf(model);
    expect(price?.type).toBe('times');
    expect(explainCharge(price!, 1, { ...noUsage, units }).credits).toBe(Math.round(dollars * 500_000));
  });
});

/** Models of `/v1/moderations` and of the vendors' first examples. */
test.each([
  'omni-moderation-latest',
  'text-embedding-3-small',
  'whisper-1',
  'gpt-4o-mini-tts',
  'gpt-image-1-mini',
  'gpt-image-2',
  'gpt-audio',
  'gpt-realtime-mini',
  'claude-haiku-4-5',
  'claude-3-7-sonnet-latest',
  'gemini-flash-latest',
  'gemini-embedding-2',
  'imagen-4.0-fast-generate-001',
  'deepseek-chat',
  'grok-code-fast-1',
  'codestral-latest',
  'mistral-small-latest',
  'qwen3-coder-plus',
  'kimi-k2.6',
  'moonshot-v1-8k',
  'glm-4.6',
  'glm-4.7-flash',
])('the current model %s has a price', (model) => expect(rowFor(model)).toBe(model));

describe('the built-in owners', () => {
  test('have an id and a name of their own, in the range that is kept for them', () => {
    expect(new Set(owners.map((owner) => owner.id)).size).toBe(owners.length);
    expect(new Set(owners.map((owner) => owner.name)).size).toBe(owners.length);
    expect(owners.every((owner) => owner.id >= 1 && owner.id <= 1000)).toBe(true);
  });

  test('name their icon and fetch it from nobody', () => {
    expect(owners.filter((owner) => !/^[a-z0-9-]*$/.test(owner.icon))).toEqual([]);
  });
});
