import { expect, test } from 'vitest';
import { Report } from '../report.ts';
import { optionPrices } from './option-prices.ts';

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
  expect(cached(pricesOf('one-api', { ModelRatio }))).toEqual(inFull);
});

test('settings that were never saved are named; known prices per call come without them', () => {
  const fresh = pricesOf('new-api', { QuotaPerUnit: '1000000' });
  expect(fresh.compiled).toEqual(['ModelRatio', 'ModelPrice']);
  expect(fresh.prices.get('dall-e-3')).toMatchObject({ type: 'times', input: 40 });
  expect(fresh.prices.has('gpt-4o')).toBe(false);
  expect(pricesOf('new-api', { ModelRatio, ModelPrice: '{}' })).toMatchObject({ compiled: [] });
  expect(pricesOf('new-api', { ModelRatio, ModelPrice: '{}' }).prices.has('dall-e-3')).toBe(false);
  expect(pricesOf('one-api', {}).compiled).toEqual(['ModelRatio']);
});
