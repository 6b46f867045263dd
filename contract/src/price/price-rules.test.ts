import { describe, expect, test } from 'vitest';
import { creditsFor, dearestRates, explainCharge, type PriceTerms, ratesOf } from './charge.ts';
import { priceRule, type PriceRule } from './price-rules.ts';
import { endingDates, holds, rulesFor } from './rules-hold.ts';
import type { Served, ServiceMode } from './served.ts';
import { noUsage, type Usage } from './usage-kinds.ts';

const served = (given: Partial<Served> = {}): Served => ({
  modes: [],
  region: undefined,
  promptTokens: 0,
  reasoning: false,
  at: Date.UTC(2026, 10, 27, 12) / 1000,
  ...given,
});
const usage = (given: Partial<Usage>): Usage => ({ ...noUsage, ...given });
const multiply = (rule: Omit<PriceRule, 'effect'>): PriceRule => ({ ...rule, effect: 'multiply' });
const both = (by: number) => ({ input: by, output: by });
/** Credits of an amount in dollars. */
const dollars = (amount: number) => Math.ceil(Number((amount * 500_000).toFixed(6)));
const charge = (terms: PriceTerms, used: Usage, how: Served, events = {}) =>
  creditsFor(ratesOf(terms, 1, rulesFor(terms.rules ?? [], how)), used, events);

const gpt6: PriceTerms = {
  type: 'tokens',
  input: 1,
  output: 5,
  extra_ratios: { cached_tokens_ratio: 0.1, cached_write_ratio: 1.25 },
  rules: [
    multiply({ over: 272_000, input: 2, output: 1.5 }),
    multiply({ modes: ['flex'], ...both(0.5) }),
    multiply({ modes: ['priority'], ...both(2) }),
    multiply({ regions: ['us'], ...both(1.1) }),
  ],
};
const haiku: PriceTerms = {
  type: 'tokens',
  input: 0.05,
  output: 0.25,
  extra_ratios: { cached_read_ratio: 0.1, cached_write_ratio: 1.25 },
  rules: [multiply({ over: 100_000, ...both(5) })],
};
const opus: PriceTerms = {
  type: 'tokens',
  input: 2,
  output: 10,
  extra_ratios: { cached_read_ratio: 0.05, cached_write_ratio: 1.25, cached_write_1h_ratio: 2 },
  rules: [multiply({ modes: ['fast'], ...both(2) }), multiply({ regions: ['us'], ...both(1.1) })],
  fees: [{ event: 'web_search', fee: 5, most: 10 }],
};
const deepSeek: PriceTerms = {
  type: 'tokens',
  input: 0.15,
  output: 0.6,
  extra_ratios: { cached_tokens_ratio: 0.02 },
  rules: (
    [
      ['00:00', '01:00', undefined],
      ['04:00', '06:00', undefined],
      ['10:00', '24:00', undefined],
    ] as const
  ).map(([from, to]) => multiply({ zone: 'UTC', days: [1, 2, 3, 4, 5], from, to, ...both(0.5) })),
};
const qwen: PriceTerms = {
  type: 'tokens',
  input: 0.6,
  output: 3,
  rules: [
    { effect: 'replace', over: 32_000, up_to: 128_000, input: 1.2, output: 6 },
    { effect: 'replace', over: 128_000, input: 1.5, output: 7.5 },
  ],
};
const audioFlash: PriceTerms = {
  type: 'tokens',
  input: 0.15,
  output: 1.25,
  extra_ratios: { cached_tokens_ratio: 0.1, cached_audio_tokens_ratio: 0.3333333333 },
  rules: [multiply({ modes: ['flex'], ...both(0.5), kinds: { cached_tokens_ratio: 1 } })],
};
const long = { input: 30_000, cached: 250_000, cacheWrite: 20_000, output: 4000 };
const at = (day: number, hour: number, minute = 0) => Date.UTC(2026, 10, day, hour, minute) / 1000;
const flash = { input: 2000, cached: 8000, output: 1000 };

test.each<[string, Partial<PriceRule>, string | undefined]>([
  ['the last date is near', { except: ['2027-01-03', '2026-10-01'] }, '2027-01-03'],
  ['it is past', { except: ['2026-10-01'] }, '2026-10-01'],
  ['it is far', { except: ['2026-10-01', '2027-10-01'] }, undefined],
  ['the rule ends before', { except: ['2027-01-03'], valid_to: Date.UTC(2026, 11, 31) / 1000 }, undefined],
  ['there is no list', {}, undefined],
])('a list of holidays is continued in time: %s', (_, rule, expected) => {
  expect(endingDates(multiply({ ...both(2), ...rule }), Date.UTC(2026, 10, 28) / 1000)).toBe(expected);
});

describe('charges worked out by hand', () => {
  test.each<[string, PriceTerms, Partial<Usage>, Partial<Served>, number, object?]>([
    [
      'cached sound by flex, which cheapens no cached tokens',
      audioFlash,
      { input: 2000, cached: 1000, cachedAudio: 3000, output: 100 },
      { modes: ['flex'] },
      0.000755,
    ],
    [
      'a long prompt by priority in one region',
      gpt6,
      long,
      { promptTokens: 300_000, modes: ['priority'], region: 'us' },
      0.836,
    ],
    ['the same at the standard price', gpt6, long, { promptTokens: 272_000 }, 0.2],
    ['flex costs half', gpt6, long, { promptTokens: 300_000, modes: ['flex'] }, 0.19],
    [
      'one token above the threshold',
      haiku,
      { input: 500, cacheRead: 99_400, cacheWrite: 200, output: 1000 },
      { promptTokens: 100_100 },
      0.007845,
    ],
    [
      'at the threshold',
      haiku,
      { input: 400, cacheRead: 99_400, cacheWrite: 200, output: 1000 },
      { promptTokens: 100_000 },
      0.001559,
    ],
    [
      'speed, region and searches',
      opus,
      { input: 1000, cacheRead: 50_000, cacheWrite: 2000, cacheWrite1h: 1000, output: 3000 },
      { modes: ['fast'], region: 'us' },
      0.2424,
      { web_search: 4 },
    ],
    ['a peak hour', deepSeek, flash, { at: at(27, 3, 59) }, 0.001848],
    ['the end of a peak hour', deepSeek, flash, { at: at(27, 4) }, 0.000924],
    ['a step of a list', qwen, { input: 100_000, output: 1000 }, { promptTokens: 100_000 }, 0.252],
    ['the last step of a list', qwen, { input: 200_000, output: 1000 }, { promptTokens: 200_000 }, 0.615],
  ])('%s', (_, terms, used, how, amount, events) => {
    expect(charge(terms, usage(used), served(how), events)).toBe(dollars(amount));
    const explained = explainCharge(terms, 1, usage(used), { rules: rulesFor(terms.rules ?? [], served(how)), events });
    expect(explained.credits).toBe(dollars(amount));
    const sum = explained.parts.reduce((total, { credits }) => total + Number(credits), 0);
    expect(sum).toBeCloseTo(Number(explained.subtotal), 6);
  });

  test('a kind may have its own multiple, and a fee is not multiplied by rules', () => {
    const terms: PriceTerms = {
      ...gpt6,
      rules: [multiply({ modes: ['flex'], ...both(0.5), kinds: { cached_tokens_ratio: 1 } })],
      fees: [{ event: 'web_search', fee: 5, most: 3 }],
    };
    const how = served({ modes: ['flex'] });
    expect(charge(terms, usage({ cached: 10_000 }), how)).toBe(1000);
    expect(charge(terms, usage({}), how, { web_search: 2 })).toBe(10_000);
  });

  test('a call without tokens costs its fee alone, and a free price with a fee is not free', () => {
    const terms: PriceTerms = { type: 'tokens', input: 0, output: 0, fees: [{ event: 'request', fee: 2.5, most: 1 }] };
    expect(charge(terms, usage({ input: 10 }), served(), { request: 1 })).toBe(2500);
    expect(ratesOf(terms, 1).free).toBe(false);
  });
});

describe('conditions of rules', () => {
  const night = { zone: 'Asia/Shanghai', days: [5], from: '22:00', to: '06:00', except: ['2026-12-04'] };
  test.each<[string, Parameters<typeof holds>[0], Partial<Served>, boolean]>([
    ['no condition', {}, {}, true],
    ['over, at the bound', { over: 10 }, { promptTokens: 10 }, false],
    ['over', { over: 10 }, { promptTokens: 11 }, true],
    ['up to, at the bound', { up_to: 10 }, { promptTokens: 10 }, true],
    ['standard without a report', { modes: ['standard'] }, {}, true],
    ['standard is not flex', { modes: ['standard'] }, { modes: ['flex'] }, false],
    ['one of several tiers', { modes: ['flex', 'batch'] }, { modes: ['batch'] }, true],
    ['region unknown', { regions: ['us'] }, {}, false],
    ['any region', { regions: ['regional'] }, { region: 'europe-west4' }, true],
    ['no region', { regions: ['regional'] }, {}, false],
    ['before its date', { valid_from: 100 }, { at: 99 }, false],
    ['on its date', { valid_from: 100, valid_to: 200 }, { at: 100 }, true],
    ['at its end', { valid_to: 200 }, { at: 200 }, false],
    ['Friday night in the zone', night, { at: at(27, 14) }, true],
    ['before it', night, { at: at(27, 13, 59) }, false],
    ['after midnight, still of Friday', night, { at: at(27, 21, 59) }, true],
    ['its end', night, { at: at(27, 22) }, false],
    ['Saturday night', night, { at: at(28, 14) }, false],
    ['a holiday', night, { at: Date.UTC(2026, 11, 4, 14) / 1000 }, false],
    ['reasoning', { reasoning: true }, { reasoning: true }, true],
    ['no reasoning', { reasoning: true }, {}, false],
  ])('%s', (_, rule, how, expected) => {
    expect(holds(rule, served(how))).toBe(expected);
  });

  test.each<[string, object]>([
    ['hours without a zone', { from: '01:00', to: '02:00' }],
    ['a start without an end', { zone: 'UTC', from: '01:00' }],
    ['an unknown zone', { zone: 'Mars/Base', days: [1] }],
    ['an empty range of tokens', { over: 10, up_to: 10 }],
    ['dates in the wrong order', { valid_from: 10, valid_to: 10 }],
    ['an unknown tier', { modes: ['cheap'] }],
    ['an invalid hour', { zone: 'UTC', from: '24:30', to: '25:00' }],
    ['weekday zero', { zone: 'UTC', days: [0] }],
  ])('%s is refused', (_, rule) => {
    expect(priceRule.safeParse({ effect: 'multiply', ...both(2), ...rule }).success).toBe(false);
  });
});

test('the dearest rates cover every way a call may be served', () => {
  const ways: ServiceMode[][] = [[], ['flex'], ['priority']];
  const all = ways.map((modes) =>
    ratesOf(gpt6, 1.7, rulesFor(gpt6.rules ?? [], served({ modes, promptTokens: 300_000 }))),
  );
  const dearest = dearestRates([ratesOf(gpt6, 1.7), ...all]);
  for (const rates of all)
    expect(creditsFor(dearest, usage(long))).toBeGreaterThanOrEqual(creditsFor(rates, usage(long)));
});
