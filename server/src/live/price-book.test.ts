import { creditsFor, noUsage } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import type { PriceRow } from './price-book.ts';
import { PriceBook } from './price-book.ts';

const row = (version: number, model: string, input = 1): PriceRow => ({
  version,
  model,
  type: 'tokens',
  channel_type: 1,
  input,
  output: 2,
  extra_ratios: {},
});

const book = new PriceBook(
  [row(1, 'gpt-*'), row(2, 'gpt-4o'), row(3, 'gpt-4*'), row(4, 'gpt-4o-mini-*'), row(5, 'free', 0)],
  undefined,
);

test.each([
  ['gpt-4o', 2],
  ['gpt-4o-mini', 3],
  ['gpt-4o-mini-2024', 4],
  ['gpt-4', 3],
  ['gpt-3.5', 1],
  ['free', 5],
])('%s has the price of version %i: exact first, then the longest beginning', (model, version) => {
  expect(book.find(model)?.version).toBe(version);
});

test.each(['claude', 'gpt', 'GPT-4o', '', 'constructor', '*', 'free-trial'])('%j has no price', (model) => {
  expect(book.find(model)).toBeUndefined();
});

test('the default price applies to unpriced models, and is not listed', () => {
  const withDefault = new PriceBook([row(1, 'gpt-4o')], { input: 30, output: 60 });
  expect(withDefault.find('claude')).toMatchObject({ version: 0, input: 30, output: 60, type: 'tokens' });
  expect(withDefault.listed('claude')).toBeUndefined();
  expect(withDefault.find('gpt-4o')?.version).toBe(1);
});

test('names that begin with a prefix are the exact ones', () => {
  expect(book.namesWith('gpt-4')).toEqual(['gpt-4o']);
  expect(book.namesWith('x')).toEqual([]);
});

test('rates are worked out once for each group ratio', () => {
  const price = book.find('gpt-4o')!;
  expect(price.ratesFor(0.8)).toBe(price.ratesFor(0.8));
  expect(creditsFor(price.ratesFor(0.8), { ...noUsage, input: 10 })).toBe(8);
  expect(creditsFor(price.ratesFor(1.5), { ...noUsage, input: 10 })).toBe(15);
  expect(price.ratesFor(0).free).toBe(true);
});

test('multiples of a setting are those of the price of exactly that name, where it has none of its own', () => {
  const own = { ...row(1, 'gpt-4o-audio'), extra_ratios: { output_audio_tokens_ratio: 3, cached_tokens_ratio: 0.1 } };
  const audio = { input_audio_tokens_ratio: 40, output_audio_tokens_ratio: 20 };
  const withAudio = new PriceBook([own, row(2, 'gpt-4o-*'), row(3, 'constructor')], undefined, {
    'gpt-4o-audio': audio,
    'gpt-4o-realtime': audio,
  });
  expect(withAudio.find('gpt-4o-audio')?.extra_ratios).toEqual({
    input_audio_tokens_ratio: 40,
    output_audio_tokens_ratio: 3,
    cached_tokens_ratio: 0.1,
  });
  const usage = { ...noUsage, inputAudio: 10, outputAudio: 10 };
  expect(creditsFor(withAudio.find('gpt-4o-audio')!.ratesFor(1), usage)).toBe(10 * 1 * 40 + 10 * 2 * 3);
  expect(withAudio.find('gpt-4o-realtime')?.extra_ratios).toEqual({});
  expect(withAudio.find('constructor')?.extra_ratios).toEqual({});
});
