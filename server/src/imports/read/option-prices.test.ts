import { explainCharge, noUsage, rulesFor, type Served, type Usage } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { Report } from '../report.ts';
import { optionPrices } from './option-prices.ts';
import { tieredPrice } from './tiered-price.ts';

const pricesOf = (program: 'one-api' | 'new-api', options: Record<string, string>) => {
  const report = new Report();
  const prices = optionPrices({
    program,
    options: new Map(Object.entries(options)),
    report,
  });
  return {
    prices: new Map(prices.map((price) => [price.model, price])),
    compiled: report.remarks.get('price_compiled')?.examples ?? [],
  };
};

const ModelRatio = '{"gpt-4o":1.25,"gpt-4.1":1,"gpt-5-mini":0.125,"claude-sonnet-4-5":1.5,"other":3}';

test('cached tokens cost what new-api compiled in, until a list is saved; one-api charges them in full', () => {
  const cached = ({ prices }: ReturnType<typeof pricesOf>) =>
    Object.fromEntries([...prices].map(([model, { extra_ratios: extra }]) => [model, extra.cached_tokens_ratio]));
  const inFull = { 'gpt-4o': 1, 'gpt-4.1': 1, 'gpt-5-mini': 1, 'claude-sonnet-4-5': 1, other: 1 };
  expect(cached(pricesOf('new-api', { ModelRatio, ModelPrice: '{}' }))).toEqual({
    ...inFull,
    'gpt-4o': 0.5,
    'gpt-4.1': 0.25,
    'gpt-5-mini': 0.1,
    'claude-sonnet-4-5': 0.1,
  });
  const saved = { ModelRatio, ModelPrice: '{}', CacheRatio: '{"gpt-4o":0.4}' };
  expect(cached(pricesOf('new-api', saved))).toEqual({ ...inFull, 'gpt-4o': 0.4 });
  expect(cached(pricesOf('one-api', { ModelRatio }))).toMatchObject(inFull);
});

test('settings that were never saved are named; compiled prices come without them', () => {
  const fresh = pricesOf('new-api', { QuotaPerUnit: '1000000' });
  expect(fresh.compiled).toEqual(['ModelRatio', 'ModelPrice']);
  expect(fresh.prices.get('dall-e-3')).toMatchObject({ type: 'times', input: 40 });
  expect(fresh.prices.size).toBeGreaterThan(240);
  expect(pricesOf('new-api', { ModelRatio, ModelPrice: '{}' })).toMatchObject({ compiled: [] });
  expect(pricesOf('new-api', { ModelRatio, ModelPrice: '{}' }).prices.has('dall-e-3')).toBe(false);
  // New-api's ratios of sound and pictures come as well.
  const loud = pricesOf('new-api', {
    ModelRatio: '{"gpt-4o-mini-audio-preview":0.075,"gpt-image-1":2.5}',
    ModelPrice: '{}',
  });
  expect(loud.prices.get('gpt-4o-mini-audio-preview')?.extra_ratios).toMatchObject({ input_audio_tokens_ratio: 66.67 });
  expect(loud.prices.get('gpt-image-1')?.extra_ratios).toMatchObject({ input_image_tokens_ratio: 2 });
});

test.each([
  ['gpt-4o', 1.25, 5],
  ['gpt-5.5', 2.5, 15],
  ['gpt-5-mini-2025-08-07', 0.125, 1],
  ['gpt-4-all', 15, 30],
  ['gpt-image-1', 2.5, 20],
  ['claude-opus-4-8-max', 2.5, 12.5],
  ['gemini-2.5-flash', 0.15, 1.25],
  ['glm-4-flash', 0, 0],
  ['ERNIE-4.0-8K', 8.21917808219, 8.21917808219],
  ['ERNIE-Lite-8K-0308', 0.205479452055, 0.41095890411],
  ['deepseek-reasoner', 0.275, 0.275],
])('without a saved ratio, %s costs what new-api has compiled in: %d and %d', (model, input, output) => {
  expect(pricesOf('new-api', {}).prices.get(model)).toMatchObject({ type: 'tokens', input, output });
});

test('one-api adds the ratios that it has compiled in to the saved ones', () => {
  const { compiled, prices } = pricesOf('one-api', { ModelRatio: '{"gpt-4o":3}' });
  expect(compiled).toEqual([]);
  const of = (model: string) => [prices.get(model)?.input, prices.get(model)?.output];
  expect([of('gpt-4o'), of('gpt-4'), of('claude-3-opus-20240229'), of('whisper-1'), of('glm-4-plus')]).toEqual([
    [3, 12],
    [15, 30],
    [7.5, 37.5],
    [15, 0],
    [3.55, 3.55],
  ]);
  expect(prices.size).toBeGreaterThan(500);
});

describe('price expressions of new-api', () => {
  const charged = (
    expression: string,
    served: Partial<Served>,
    usage: Partial<Usage> = { input: 1e6, output: 1e6 },
  ) => {
    const { price, isExact } = tieredPrice(expression, 500_000);
    const { rules, ...terms } = price!;
    const held = rulesFor(rules, {
      modes: [],
      region: undefined,
      promptTokens: 10,
      reasoning: false,
      at: 0,
      ...served,
    });
    const { credits } = explainCharge(terms, 1, { ...noUsage, ...usage }, { rules: held });
    return isExact ? credits / 500_000 : `not exact: ${credits / 500_000}`;
  };
  const bands =
    'len <= 32000 ? tier("short", p * 1.2 + c * 6 + cr * 0.24) : len <= 128000 ? tier("mid", p * 2.4 + c * 12 + cr * 0.48) : tier("long", p * 3 + c * 15 + cr * 0.3)';
  const tiered =
    '(tier("base", p * 2 + c * 4)) * (param("service_tier") == "priority" ? 2 : 1) * (param("service_tier") == "fast" ? 2 : 1)';
  const nightly = 'v1:(tier("base", p*2 + c*4)) * (hour("UTC") >= 1 && hour("UTC") < 4 ? 3 : 1)';

  test.each<[string, Partial<Served>, Partial<Usage> | undefined, number | string]>([
    ['tier("base", p*2.5 + c*15)', {}, undefined, 17.5],
    ['tier("base", p)', {}, { input: 1e6 }, 1],
    [bands, { promptTokens: 32_000 }, undefined, 7.2],
    [bands, { promptTokens: 32_001 }, undefined, 14.4],
    [bands, { promptTokens: 128_001 }, undefined, 18],
    [bands, { promptTokens: 32_001 }, { cached: 1e6 }, 0.48],
    [bands, { promptTokens: 128_001 }, { cached: 1e6 }, 0.3],
    [
      'len > 200000 ? tier("long", p*5 + c*20) : tier("base", p*2.5 + c*15)',
      { promptTokens: 200_000 },
      undefined,
      17.5,
    ],
    ['len > 200000 ? tier("long", p*5 + c*20) : tier("base", p*2.5 + c*15)', { promptTokens: 200_001 }, undefined, 25],
    ['len < 200000 ? tier("a", p*1) : tier("b", p*2)', { promptTokens: 200_000 }, { input: 1e6 }, 2],
    [tiered, {}, undefined, 6],
    [tiered, { modes: ['priority'] }, undefined, 12],
    [nightly, { at: 3600 }, undefined, 18],
    [nightly, { at: 4 * 3600 }, undefined, 6],
    // Not by the length, and by something else than the tier.
    ['p <= 200000 ? tier("a", p*1) : tier("b", p*2)', {}, { input: 1e6 }, 'not exact: 1'],
    ['tier("base", p*2) * (header("x") == "y" ? 2 : 1)', {}, { input: 1e6 }, 'not exact: 2'],
  ])('%s, %o, %o: $%s', (expression, served, usage, dollars) => {
    expect(charged(expression, served, usage)).toBe(dollars);
  });

  test('anything else has no price', () => {
    for (const text of ['', 'fixed(0.3)', '('.repeat(5000), 'len <= 1 ? '.repeat(5000)])
      expect(tieredPrice(text, 500_000)).toEqual({ price: undefined, isExact: false });
  });
});
