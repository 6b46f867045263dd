import type { Price, PriceInput } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { exported } from '#screens/panel/pricing/export-prices.ts';
import {
  amountOf,
  builtInFor,
  kindsLeft,
  multiplied,
  priceForm,
  ratioOf,
  rulesFor,
  setExtras,
  termsOf,
  valuesOf,
} from './price-values.ts';

const price: Price = {
  model: 'claude-4',
  type: 'tokens',
  channel_type: 14,
  input: 1.5,
  output: 7.5,
  extra_ratios: { cached_read_ratio: 0.1 },
  version: 3,
  valid_from: 1,
  source: 'own',
};

describe('the form of a price', () => {
  test("starts from the models' price and saves it unchanged", () => {
    const values = valuesOf([price, { ...price, model: 'claude-4-mini' }], {});
    expect(values).toMatchObject({ models: ['claude-4', 'claude-4-mini'], input: 1.5 });
    const { model: _, version: __, valid_from: ___, source: ____, ...terms } = price;
    expect(termsOf(priceForm.parse(values))).toEqual(terms);
  });

  test('a new price has neither owner nor ratio at first', () => {
    expect(priceForm.safeParse(valuesOf([], { model: 'new' })).error?.issues.map(({ path }) => path[0])).toEqual([
      'channel_type',
      'input',
      'output',
    ]);
    expect(priceForm.safeParse(valuesOf([], { ...price, model: 'new' })).success).toBe(true);
    expect(priceForm.safeParse({ ...valuesOf([], price), models: [] }).success).toBe(false);
  });

  test('a price by call checks one ratio and ignores hidden fields', () => {
    const started = { ...valuesOf([], { model: 'song' }), type: 'times' as const, channel_type: 41 };
    const nothing = null as unknown as number;
    const left = { ...started, output: -1, extra_ratios: { cached_read_ratio: nothing } };
    for (const values of [started, left]) {
      expect(priceForm.safeParse({ ...values, input: 2, type: 'tokens' }).success).toBe(false);
      const wrong = rulesFor('times')
        .safeParse(values)
        .error?.issues.map(({ path }) => path[0]);
      expect(wrong).toEqual(['input']);
      expect(termsOf(rulesFor('times').parse({ ...values, input: 2 }))).toMatchObject({ input: 2, output: 0 });
    }
  });

  test('removed extra ratios are not kept, and a price by call has none', () => {
    expect(setExtras({ cached_read_ratio: undefined, cached_write_ratio: 0 })).toEqual({ cached_write_ratio: 0 });
    const values = priceForm.parse(valuesOf([price], {}));
    expect(termsOf({ ...values, type: 'times' })).toEqual({
      type: 'times',
      channel_type: 14,
      input: 1.5,
      output: 0,
      extra_ratios: {},
    });
    expect(kindsLeft({ cached_read_ratio: 0.1, cached_write_ratio: undefined }).map(({ key }) => key)).toContain(
      'cached_write_ratio',
    );
    expect(kindsLeft({ cached_read_ratio: 0.1 }).map(({ key }) => key)).not.toContain('cached_read_ratio');
  });
});

test.each([
  [1.5, { currency: 'USD', per: 1_000_000 }, 3],
  [1.6, { currency: 'USD', per: 1_000_000 }, 3.2],
  [0.0375, { currency: 'USD', per: 1000 }, 0.000075],
  [0.07, { currency: 'CNY', per: 1_000_000 }, 0.98],
  [0, { currency: 'CNY', per: 1000 }, 0],
] as const)('%f costs %o and back', (ratio, unit, amount) => {
  expect(amountOf(ratio, unit)).toBe(amount);
  expect(ratioOf(amount, unit)).toBe(ratio);
});

test('a price is multiplied without a trace of floating point', () => {
  expect(multiplied({ ...price, input: 0.1, output: 0.7 }, 1.1)).toMatchObject({ input: 0.11, output: 0.77 });
  expect(multiplied(price, 0)).toMatchObject({ input: 0, output: 0, extra_ratios: { cached_read_ratio: 0.1 } });
});

test('the built-in price of a model is its own, else that of the longest prefix', () => {
  const builtIn: PriceInput[] = ['gpt-*', 'gpt-4*', 'gpt-4o'].map((model) => ({ ...price, model }));
  const of = (model: string) => builtInFor(model, builtIn)?.model;
  expect([of('gpt-4o'), of('gpt-4o-mini'), of('gpt-5'), of('claude')]).toEqual([
    'gpt-4o',
    'gpt-4*',
    'gpt-*',
    undefined,
  ]);
});

test('an exported price lists its extra ratios even without any', () => {
  const { extra_ratios: _, ...plain } = price;
  expect(exported(plain)).toEqual({
    model: 'claude-4',
    type: 'tokens',
    channel_type: 14,
    input: 1.5,
    output: 7.5,
    extra_ratios: {},
  });
});
