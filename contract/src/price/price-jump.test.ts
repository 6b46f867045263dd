import { describe, expect, test } from 'vitest';
import type { PriceTerms } from './charge.ts';
import type { PriceInput } from './price-input.ts';
import { groupPrices, samePrice } from './price-groups.ts';
import { priceStep } from './price-jump.ts';

const withRules = (rules: PriceTerms['rules'], fees?: PriceTerms['fees']): PriceTerms => ({
  ...tokens(1, 4),
  rules,
  fees,
});
const long = (input: number, output: number) => ({ effect: 'multiply', over: 272_000, input, output }) as const;
const dated = (input: number, output: number, kinds = {}) =>
  ({ effect: 'replace', valid_from: 1_800_000_000, input, output, kinds }) as const;
const search = (fee: number) => ({ event: 'web_search', fee, most: 5 }) as const;

const tokens = (input: number, output: number, extra_ratios?: PriceTerms['extra_ratios']): PriceTerms => ({
  type: 'tokens',
  input,
  output,
  extra_ratios,
});

describe('how far a price moves', () => {
  test.each<[string, PriceTerms, PriceTerms, factor: number | null, jumps: string[]]>([
    ['nowhere', tokens(1, 4), tokens(1, 4), 1, []],
    ['up a little', tokens(1, 4), tokens(1.25, 4), 1.25, []],
    ['the rate that moves most counts', tokens(1, 4), tokens(1.25, 2), 0.5, []],
    ['up to just below ten', tokens(1, 4), tokens(9.99, 4), 9.99, []],
    ['tenfold up', tokens(1, 4), tokens(10, 4), 10, ['input']],
    ['tenfold down', tokens(10, 4), tokens(1, 4), 0.1, ['input']],
    [
      'ten times 0.07 is 0.7, also where floating point says less',
      tokens(0.07, 4),
      tokens(0.7, 4),
      0.7 / 0.07,
      ['input'],
    ],
    ['to zero', tokens(1, 4), tokens(1, 0), null, ['output']],
    ['from zero', tokens(0, 4), tokens(0.001, 4), null, ['input']],
    ['from as good as zero', tokens(5e-324, 4), tokens(1, 4), null, ['input']],
    ['zero stays zero', tokens(0, 0), tokens(0, 0), 1, []],
    [
      'a rule for tenfold the price',
      tokens(1, 4),
      { ...tokens(1, 4), rules: [{ over: 10, effect: 'multiply', input: 2, output: 10 }] },
      10,
      ['rules.0.output'],
    ],
    [
      'a fee to zero, and another one that is new',
      { ...tokens(1, 4), fees: [{ event: 'web_search', fee: 5, most: 10 }] },
      {
        ...tokens(1, 4),
        fees: [
          { event: 'web_search', fee: 0, most: 10 },
          { event: 'file_search', fee: 1, most: 10 },
        ],
      },
      null,
      ['fees.web_search'],
    ],
    ['another type', tokens(1, 4), { type: 'times', input: 1, output: 4 }, null, ['type']],
    [
      'by the call only the input counts',
      { type: 'times', input: 5, output: 1 },
      { type: 'times', input: 5, output: 0 },
      1,
      [],
    ],
    [
      'a multiple that was the default and is no more',
      tokens(1, 4),
      tokens(1, 4, { cached_tokens_ratio: 0.05 }),
      0.1,
      ['cached_tokens_ratio'],
    ],
    ['a multiple that says what the default is', tokens(1, 4), tokens(1, 4, { cached_tokens_ratio: 0.5 }), 1, []],
    [
      'a multiple made up for by its side',
      tokens(1, 4, { cached_read_ratio: 0.1 }),
      tokens(2, 4, { cached_read_ratio: 0.05 }),
      2,
      [],
    ],
    ['a rate cached for nothing', tokens(1, 4), tokens(1, 4, { cached_read_ratio: 0 }), null, ['cached_read_ratio']],
    ['a new rule that multiplies', tokens(1, 4), withRules([long(2, 1.5)]), 2, []],
    ['a new rule that makes a side free', tokens(1, 4), withRules([long(2, 0)]), null, ['rules.0.output']],
    ['a rule tenfold', withRules([long(2, 1.5)]), withRules([long(20, 1.5)]), 10, ['rules.0.input']],
    ['a rule of ten that goes', withRules([long(10, 1)]), tokens(1, 4), 0.1, ['rules.0.input']],
    ['a rule that only moves', withRules([dated(2, 8), long(2, 1.5)]), withRules([long(2, 1.5), dated(2, 8)]), 1, []],
    ['an announced price of twice as much', tokens(1, 4), withRules([dated(2, 8)]), 2, []],
    ['an announced price of ten times as much', tokens(1, 4), withRules([dated(2, 40)]), 10, ['rules.0.output']],
    [
      'an announced price with a free cache',
      tokens(1, 4),
      withRules([dated(1, 4, { cached_tokens_ratio: 0 })]),
      null,
      ['rules.0.cached_tokens_ratio'],
    ],
    [
      'a kind that a rule no longer spares',
      withRules([{ ...long(12, 12), kinds: { cached_tokens_ratio: 1 } }]),
      withRules([long(12, 12)]),
      12,
      ['rules.0.cached_tokens_ratio'],
    ],
    ['a new fee', tokens(1, 4), withRules([], [search(5)]), 1, []],
    ['a fee twice as high', withRules([], [search(5)]), withRules([], [search(10)]), 2, []],
    ['a fee tenfold', withRules([], [search(5)]), withRules([], [search(50)]), 10, ['fees.web_search']],
    ['a fee of nothing', withRules([], [search(5)]), withRules([], [search(0)]), null, ['fees.web_search']],
    ['a fee that goes', withRules([], [search(5)]), tokens(1, 4), null, ['fees.web_search']],
    [
      'by the call, output of a rule does not count',
      { type: 'times', input: 5, output: 0, rules: [long(2, 1)] },
      { type: 'times', input: 5, output: 0, rules: [long(2, 100)] },
      1,
      [],
    ],
  ])('%s', (_, before, after, factor, jumps) => {
    expect(priceStep(before, after)).toEqual({ factor, jumps });
  });
});

describe('prices that say the same', () => {
  const price = (model: string, more: Partial<PriceInput> = {}): PriceInput => ({
    model,
    type: 'tokens',
    channel_type: 1,
    input: 1,
    output: 4,
    ...more,
  });

  test('stand together, in the order in which the first of them comes', () => {
    const prices = [
      price('c'),
      price('a', { input: 2 }),
      price('b', { extra_ratios: {} }),
      price('d', { extra_ratios: { cached_tokens_ratio: 0.25, cached_read_ratio: 0.1 } }),
      price('e', { extra_ratios: { cached_read_ratio: 0.1, cached_tokens_ratio: 0.25 } }),
      price('f', { channel_type: 14 }),
    ];
    expect(groupPrices(prices).map(({ models }) => models)).toEqual([['c', 'b'], ['a'], ['d', 'e'], ['f']]);
    expect(groupPrices([])).toEqual([]);
  });

  test('no multiples are the same as an empty set of them; a multiple that says the default is not', () => {
    expect(samePrice(price('a'), price('b', { extra_ratios: {} }))).toBe(true);
    expect(samePrice(price('a'), price('a', { extra_ratios: { cached_tokens_ratio: 0.5 } }))).toBe(false);
    expect(samePrice(price('a'), price('a', { type: 'times' }))).toBe(false);
  });
});
