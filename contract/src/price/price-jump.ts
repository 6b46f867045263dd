import type { PriceTerms } from './charge.ts';
import { decimal, minus, times } from './decimal.ts';
import type { ExtraRatios } from './extra-ratios.ts';
import type { PriceRule } from './price-rules.ts';
import { extraKinds, extraRatio, ruleRatio } from './usage-kinds.ts';

/** A change by this factor is probably a mistake. */
const absurd = 10;

export interface PriceStep {
  /** After ÷ before of the rate that changes most; 1: no change; null: one of them is zero, or the type differs. */
  factor: number | null;
  /** Names of the rates (or `type`) that jump: `input`, `rules.0.output`, `fees.web_search`. */
  jumps: string[];
}

/**
 * Compares two prices and finds jumps: rates, effects of rules and fees that change tenfold, or from or to zero. A rule
 * is known by its conditions, and compared with the price without it where it is new or gone. A new fee is no jump.
 */
export function priceStep(before: PriceTerms, after: PriceTerms): PriceStep {
  if (before.type !== after.type) return { factor: null, jumps: ['type'] };
  const [old, now] = [ratesOf(before), ratesOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const pairs = names.map((name) => ({
    name,
    before: old.get(name) ?? rateOf(before, name),
    after: now.get(name) ?? rateOf(after, name),
  }));
  pairs.push(...rulePairs(before, after), ...feePairs(before, after));
  const moved = pairs.filter((pair) => pair.before !== pair.after);
  const far = moved.toSorted((a, b) => distance(b) - distance(a))[0];
  return {
    factor: far ? factorOf(far) : 1,
    jumps: moved.filter(isJump).map(({ name }) => name),
  };
}

interface Pair {
  name: string;
  before: number;
  after: number;
}

/** Null if one is (almost) zero. */
function factorOf({ before, after }: Omit<Pair, 'name'>): number | null {
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

/** Rules of a price by their conditions; equal conditions are numbered. */
function byConditions({ rules = [] }: PriceTerms): Map<string, { rule: PriceRule; at: number }> {
  const found = new Map<string, { rule: PriceRule; at: number }>();
  for (const [at, rule] of rules.entries()) {
    const { input: _, output: __, kinds: ___, ...conditions } = rule;
    const entries = Object.entries(conditions).filter(([, value]) => value !== undefined);
    const key = JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    let number = 0;
    while (found.has(`${key}${number}`)) number++;
    found.set(`${key}${number}`, { rule, at });
  }
  return found;
}

function rulePairs(before: PriceTerms, after: PriceTerms): Pair[] {
  const [old, now] = [byConditions(before), byConditions(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    const known = is ?? was;
    if (!known) return [];
    const { at, rule } = known;
    const kinds = extraKinds.filter(
      (kind) => was?.rule.kinds?.[kind.key] !== undefined || is?.rule.kinds?.[kind.key] !== undefined,
    );
    const names: RateName[] =
      after.type === 'times' ? ['input'] : ['input', 'output', ...kinds.map((kind) => kind.key)];
    return names.map((name) => ({
      name: `rules.${at}.${name}`,
      before: effectOf(before, was?.rule, rule.effect, name),
      after: effectOf(after, is?.rule, rule.effect, name),
    }));
  });
}

type RateName = 'input' | 'output' | keyof ExtraRatios;

/** A rule's multiple or ratio of a rate; without the rule, 1 or the price's own. */
function effectOf(terms: PriceTerms, rule: PriceRule | undefined, effect: PriceRule['effect'], name: RateName): number {
  if (effect === 'multiply') {
    const extra = extraKinds.find(({ key }) => key === name);
    if (!extra) return rule?.[name === 'output' ? 'output' : 'input'] ?? 1;
    return rule ? (ruleRatio(extra.kind, rule.kinds) ?? rule[extra.side]) : 1;
  }
  if (!rule) return rateOf(terms, name);
  return rateOf({ ...rule, type: terms.type, extra_ratios: { ...terms.extra_ratios, ...rule.kinds } }, name);
}

/** Fees that existed before. */
function feePairs({ fees: old = [] }: PriceTerms, { fees: now = [] }: PriceTerms): Pair[] {
  return old.flatMap(({ event, fee }) =>
    fee === 0
      ? []
      : [{ name: `fees.${event}`, before: fee, after: now.find((each) => each.event === event)?.fee ?? 0 }],
  );
}
