import type { Price, PriceInput } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { exported } from '#screens/panel/pricing/export-prices.ts';
import {
  amountOf,
  builtInFor,
  conditionsOf,
  kindsLeft,
  multiplied,
  newFee,
  newRule,
  priceForm,
  ratioOf,
  ruleKinds,
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

const ruled: Price = {
  ...price,
  rules: [
    { effect: 'replace', valid_from: 1_830_000_000, input: 2, output: 8, kinds: { cached_read_ratio: 0.05 } },
    { effect: 'multiply', over: 200_000, modes: ['fast', 'priority'], regions: ['us'], input: 2, output: 1.5 },
    { effect: 'multiply', zone: 'UTC', days: [6, 7], from: '22:00', to: '06:00', input: 0.5, output: 0.5 },
  ],
  fees: [{ event: 'web_search', fee: 5, most: 10 }],
};

describe('the form of a price', () => {
  test("starts from the models' price and saves it unchanged", () => {
    const values = valuesOf([price, { ...price, model: 'claude-4-mini' }], {});
    expect(values).toMatchObject({ models: ['claude-4', 'claude-4-mini'], input: 1.5 });
    const { model: _, version: __, valid_from: ___, source: ____, ...terms } = price;
    expect(termsOf(priceForm.parse(values))).toEqual({ ...terms, rules: [], fees: [] });
  });

  test('keeps rules and fees of every kind unchanged, for one model and for several', () => {
    const values = valuesOf([ruled, { ...ruled, model: 'claude-4-mini' }], {});
    const { model: _, version: __, valid_from: ___, source: ____, ...terms } = ruled;
    expect(termsOf(priceForm.parse(values))).toEqual(terms);
    expect(exported(ruled)).toEqual({ ...terms, model: 'claude-4' });
  });

  test.each(ruleKinds)('a new rule by %s names the fields that are missing', (kind) => {
    const values = { ...valuesOf([price], {}), rules: [newRule(kind, false)] };
    const wrong = priceForm.safeParse(values).error?.issues.map(({ path }) => path.join('.')) ?? [];
    const condition = {
      length: 'over',
      tier: 'modes',
      region: 'regions',
      time: '',
      reasoning: '',
      dates: 'valid_from',
    }[kind];
    expect(wrong.toSorted()).toEqual(
      ['input', 'output', ...(condition === '' ? [] : [condition])].map((name) => `rules.0.${name}`).toSorted(),
    );
    expect(conditionsOf(newRule(kind, false))).toEqual([kind]);
  });

  test('rules of a price by call need one ratio', () => {
    const values = { ...valuesOf([], { model: 'song' }), type: 'times' as const, channel_type: 41, input: 2 };
    const rule = { ...newRule('reasoning', true), input: 3, kinds: { cached_tokens_ratio: 2 } };
    expect(termsOf(rulesFor('times').parse({ ...values, rules: [rule] })).rules).toEqual([
      { effect: 'multiply', reasoning: true, input: 3, output: 3 },
    ]);
    const empty = rulesFor('times').safeParse({ ...values, rules: [newRule('reasoning', true)] });
    expect(empty.error?.issues.map(({ path }) => path.join('.'))).toContain('rules.0.input');
  });

  test('a new fee needs its amount', () => {
    const values = { ...valuesOf([price], {}), fees: [newFee('web_search')] };
    expect(priceForm.safeParse(values).error?.issues.map(({ path }) => path.join('.'))).toEqual(['fees.0.fee']);
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
      rules: [],
      fees: [],
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
  const [own, ...relative] = multiplied(ruled, 1.1).rules ?? [];
  expect(own).toMatchObject({ input: 2.2, output: 8.8, kinds: { cached_read_ratio: 0.05 } });
  expect(relative).toEqual(ruled.rules?.slice(1));
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
    rules: [],
    fees: [],
  });
});
