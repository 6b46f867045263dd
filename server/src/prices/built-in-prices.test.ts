import { explainCharge, noUsage, priceInput, type Usage } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import owners from './built-in-owners.json' with { type: 'json' };
import rows from './built-in-prices.json' with { type: 'json' };

const prices = rows.map((row) => priceInput.parse(row));
const names = prices.map((price) => price.model);
const priceOf = (model: string) => prices.find((price) => price.model === model);

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
    ['gemini-2.5-flash', { inputAudio: million, output: million }, 1 + 2.5],
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
    ['deepseek-v4-pro', { cached: million, output: million }, 0.044 + 3.96],
    ['grok-4.7', { input: million, output: million }, 2 + 6],
    ['mistral-large-4', { input: million }, 0.7],
    ['qwen-plus', { reasoning: million }, 4],
    ['kimi-k3', { cached: million }, 0.3],
    ['glm-5.3', { output: million }, 4.4],
  ])('%s, %o: $%d', (model, usage, dollars) => {
    const { credits } = explainCharge(priceOf(model)!, 1, { ...noUsage, ...usage });
    expect(credits).toBe(Math.round(dollars * 500_000));
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
