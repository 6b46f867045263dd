import type { PriceTerms } from './charge.ts';

import { decimal, minus, times } from './decimal.ts';
import { extraKinds, extraRatio } from './usage-kinds.ts';

/** A change by this factor is probably a mistake. */
const absurd = 10;

export interface PriceStep {
  /** After ÷ before of the rate that changes most; 1: no change; null: one of them is zero, or the type differs. */
  factor: number | null;
  /** Names of the rates (or `type`) that jump. */
  jumps: string[];
}

/** Compares two prices and finds jumps: rates that change tenfold, or from or to zero. */
export function priceStep(before: PriceTerms, after: PriceTerms): PriceStep {
  if (before.type !== after.type) return { factor: null, jumps: ['type'] };
  const [old, now] = [ratesOf(before), ratesOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const pairs = names.map((name) => ({
    name,
    before: old.get(name) ?? rateOf(before, name),
    after: now.get(name) ?? rateOf(after, name),
  }));
  const moved = pairs.filter((pair) => pair.before !== pair.after);
  const far = moved.toSorted((a, b) => distance(b) - distance(a))[0];
  return {
    factor: far ? factorOf(far) : 1,
    jumps: [...moved.filter(isJump).map(({ name }) => name), ...ruleJumps(before, after)],
  };
}

/** Jumps of the dearest rate under any one rule, and of fees that both prices have. */
function ruleJumps(before: PriceTerms, after: PriceTerms): string[] {
  const sides = (['input', 'output'] as const).map((side) => ({
    name: `rules.${side}`,
    before: dearestMultiple(before, side),
    after: dearestMultiple(after, side),
  }));
  const fees = (before.fees ?? []).flatMap(({ event, fee }) => {
    const now = after.fees?.find((each) => each.event === event);
    return now ? [{ name: `fees.${event}`, before: fee, after: now.fee }] : [];
  });
  return [...sides, ...fees].filter((pair) => pair.before !== pair.after && isJump(pair)).map(({ name }) => name);
}

/** As a multiple of the price itself, which is compared apart. */
function dearestMultiple({ rules = [], ...terms }: PriceTerms, side: 'input' | 'output'): number {
  const base = terms[side];
  if (base === 0) return 1;
  return Math.max(1, ...rules.map((rule) => (rule.effect === 'replace' ? rule[side] / base : rule[side])));
}

interface Pair {
  before: number;
  after: number;
}

/** Null if one is (almost) zero. */
function factorOf({ before, after }: Pair): number | null {
  const factor = after / before;
  return after === 0 || !Number.isFinite(factor) ? null : factor;
}

const distance = ({ before, after }: Pair): number =>
  before === 0 || after === 0 ? Infinity : Math.abs(Math.log(after / before));

/** Compared as decimals: 0.7 is ten times 0.07, which it is not in floating point. */
function isJump({ before, after }: Pair): boolean {
  if (before === 0 || after === 0) return true;
  const [low, high] = before < after ? [before, after] : [after, before];
  return minus(decimal(high), times(decimal(low), decimal(absurd))).digits >= 0n;
}

/** Cost of one token by kind; a `times` price has only the input ratio. */
function ratesOf(terms: PriceTerms): Map<string, number> {
  if (terms.type === 'times') return new Map([['input', terms.input]]);
  const named = extraKinds.filter(({ key }) => terms.extra_ratios?.[key] !== undefined);
  return new Map([
    ['input', terms.input],
    ['output', terms.output],
    ...named.map(({ key }) => [key, rateOf(terms, key)] as const),
  ]);
}

/** Rounded to twelve digits, to remove floating-point errors of the product. */
function rateOf(terms: PriceTerms, name: string): number {
  const extra = extraKinds.find(({ key }) => key === name);
  if (!extra) return terms[name === 'output' ? 'output' : 'input'];
  return Number((terms[extra.side] * extraRatio(extra.kind, terms.extra_ratios)).toPrecision(12));
}
