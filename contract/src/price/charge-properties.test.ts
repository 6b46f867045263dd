import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PriceTerms } from './charge.ts';
import { creditsFor, explainCharge, ratesOf } from './charge.ts';
import { completionTokens, extraKinds, noUsage, promptTokens, type Usage } from './usage-kinds.ts';
import { extraRatiosOf, usageOf, usageRow } from '../log/log-usage.ts';
import { sumOf } from './testing.ts';

const counters = Object.keys(noUsage) as (keyof Usage)[];
const eachOf = (count: fc.Arbitrary<number>) =>
  fc.record(Object.fromEntries(counters.map((name) => [name, count])) as Record<keyof Usage, fc.Arbitrary<number>>);
const usages = eachOf(fc.oneof(fc.nat(2_000_000), fc.constantFrom(0, 1, 1_000_000_000)));

const ratio = fc.oneof(
  fc.constantFrom(0, 1, 1e-7, 3.3333333333, 0.1, 0.075, 1.5, 1_000_000),
  fc.double({ min: 0, max: 1000, noNaN: true, noDefaultInfinity: true }).map((value) => Number(value.toPrecision(12))),
);
const prices: fc.Arbitrary<PriceTerms> = fc.record({
  type: fc.constantFrom('tokens' as const, 'times' as const),
  input: ratio,
  output: ratio,
  extra_ratios: fc.record(Object.fromEntries(extraKinds.map(({ key }) => [key, ratio])), { requiredKeys: [] }),
});
const groupRatios = fc.oneof(
  fc.constantFrom(0, 0.8, 1, 1.5, 1e-7),
  fc.double({ min: 0, max: 10, noNaN: true }).map((value) => Number(value.toPrecision(8))),
);

/** Ratios with an exponent far below zero have more decimals than are added up here; no operator enters them. */
const isPlain = (texts: string[]) => texts.every((text) => (text.split('.')[1] ?? '').length <= 60);

describe('whatever the usage and the price', () => {
  test('a charge is a whole number from 0, and at least 1 unless the price is free', () => {
    fc.assert(
      fc.property(prices, groupRatios, usages, (price, group, usage) => {
        const rates = ratesOf(price, group);
        const credits = creditsFor(rates, usage);
        expect(Number.isSafeInteger(credits)).toBe(true);
        expect(credits).toBeGreaterThanOrEqual(rates.free ? 0 : 1);
        if (rates.free) expect(credits).toBe(0);
      }),
    );
  });

  test('more of any counter never costs less', () => {
    const more = fc.nat(1_000_000);
    fc.assert(
      fc.property(prices, groupRatios, usages, fc.constantFrom(...counters), more, (price, group, usage, name, add) => {
        const rates = ratesOf(price, group);
        const added = creditsFor(rates, { ...usage, [name]: usage[name] + add });
        expect(added).toBeGreaterThanOrEqual(creditsFor(rates, usage));
      }),
    );
  });

  test('a higher group ratio never costs less', () => {
    fc.assert(
      fc.property(prices, groupRatios, groupRatios, usages, (price, a, b, usage) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(creditsFor(ratesOf(price, high), usage)).toBeGreaterThanOrEqual(creditsFor(ratesOf(price, low), usage));
      }),
    );
  });

  test('the explanation is the charge: its parts add up to the subtotal, and with the rounding to the credits', () => {
    fc.assert(
      fc.property(prices, groupRatios, usages, (price, group, usage) => {
        const { parts, subtotal, rounding, credits } = explainCharge(price, group, usage);
        expect(credits).toBe(creditsFor(ratesOf(price, group), usage));
        const partial = parts.map((part) => part.credits);
        fc.pre(isPlain([subtotal, rounding, ...partial]));
        expect(sumOf(partial)).toBe(sumOf([subtotal]));
        expect(sumOf([subtotal, rounding])).toBe(sumOf([String(credits)]));
        expect(partial.some((text) => text.startsWith('-'))).toBe(false);
      }),
    );
  });

  test('rounding adds less than a credit to tokens, but for the minimum', () => {
    fc.assert(
      fc.property(prices, groupRatios, usages, (price, group, usage) => {
        const { rounding, credits } = explainCharge({ ...price, type: 'tokens' }, group, usage);
        fc.pre(credits > 1 && credits < Number.MAX_SAFE_INTEGER);
        expect(rounding).toMatch(/^0(\.\d+)?$/);
      }),
    );
  });

  test('what is no count raises nothing and lowers nothing', () => {
    const hostile = fc.oneof(
      fc.double(),
      fc.integer({ max: -1 }),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0, 2 ** 60, 1e308),
    );
    fc.assert(
      fc.property(prices, groupRatios, eachOf(hostile), (price, group, usage) => {
        const rates = ratesOf(price, group);
        const counted = Object.fromEntries(
          counters.map((name) => [name, Number.isSafeInteger(usage[name]) ? Math.max(0, usage[name]) : 0]),
        ) as unknown as Usage;
        expect(creditsFor(rates, usage)).toBe(creditsFor(rates, counted));
        expect(explainCharge(price, group, usage).credits).toBe(creditsFor(rates, usage));
      }),
    );
  });
});

describe('a log row', () => {
  test('tells the counters that it was charged for', () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const row = usageRow(usage, undefined);
        expect(usageOf(row)).toEqual(usage);
        expect(row.prompt_tokens).toBe(promptTokens(usage));
        expect(row.completion_tokens).toBe(completionTokens(usage));
      }),
    );
  });

  test('explains the charge: written, read as JSON and worked out again, it is the same', () => {
    fc.assert(
      fc.property(prices, groupRatios, usages, (price, group, usage) => {
        const row = JSON.parse(JSON.stringify(usageRow(usage, price.extra_ratios))) as ReturnType<typeof usageRow>;
        const again = explainCharge({ ...price, extra_ratios: extraRatiosOf(row) }, group, usageOf(row));
        const { parts, credits, subtotal } = explainCharge(price, group, usage);
        expect(again).toMatchObject({ parts, credits, subtotal });
      }),
    );
  });

  test('of another system that contradicts itself has no counter below zero', () => {
    const metadata = { cached_tokens: 99, reasoning_tokens: 7 };
    expect(usageOf({ prompt_tokens: 10, completion_tokens: 5, metadata })).toEqual({
      ...noUsage,
      cached: 99,
      reasoning: 7,
    });
  });

  test('without details is all input and output', () => {
    expect(usageOf({ prompt_tokens: 7, completion_tokens: 3, metadata: null })).toEqual({
      ...noUsage,
      input: 7,
      output: 3,
    });
  });
});
