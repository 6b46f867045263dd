import type {
  ExtraRatios,
  PriceFee,
  PriceInput,
  PriceRemark,
  PriceRule,
  RuleConditions,
  UsageKind,
} from '@relay-hub/contract';
import { extraKinds, extraRatio, kindOf } from '@relay-hub/contract';

/** Dollars per million tokens by kind; what a list does not say is absent. */
export type KindRates = Partial<Record<UsageKind, number | undefined>>;

/** Rates that differ under conditions, as a list states them. */
export interface Variant {
  when: RuleConditions;
  rates: KindRates;
  /** A step of a price by length, which replaces the price; else the rates become multiples of it. */
  replaces?: boolean;
}

/** The price of one model as a public list states it. */
export interface RateSheet {
  model: string;
  /** Id of the model's owner. */
  owner: number;
  rates: KindRates & { input: number; output: number };
  variants: Variant[];
  /** Factors on all tokens, such as those of a region. */
  factors: { when: RuleConditions; factor: number }[];
  fees: PriceFee[];
}

/** Something in a list that was not taken over. */
export interface ListRemark {
  model: string;
  field: string;
  remark: PriceRemark;
}

/** Prices of a public list in the contract's form, not yet validated, and what was left out. */
export interface ConvertedList {
  prices: PriceInput[];
  remarks: ListRemark[];
}

/** Sets a kind's rate unless it is zero, which stands for an unknown price in every list. */
export function addRate(rates: KindRates, kind: UsageKind, rate: number): void {
  if (rate > 0) rates[kind] = rate;
}

/**
 * At most ten decimals, rounded down: a charge is rounded up to a credit, and a third rounded up would cost one more.
 * Noise of binary fractions is removed first.
 */
export function ratioOf(value: number): number {
  const scaled = Number(value.toPrecision(14)) * 1e10;
  const near = Math.round(scaled);
  return (Math.abs(scaled - near) < 1e-3 ? near : Math.floor(scaled)) / 1e10;
}

/** Dollars per million tokens of a price per token. */
export const perMillion = (perToken: number): number => Number((perToken * 1e6).toPrecision(12));

/** The fee of a price in dollars per event. */
export const feeOf = (dollars: number): number => ratioOf(dollars * 500);

/** Events that a call may cause at most, where neither its request nor the provider has a bound. */
export const assumedEvents = 10;

const sides = ['input', 'output'] as const;
type Side = (typeof sides)[number];

/** The price of a rate sheet. Fields that no rule can express are named in `remarks`. */
export function priceOfSheet(sheet: RateSheet, remarks: ListRemark[]): PriceInput {
  const { model, owner, rates, fees } = sheet;
  const rules = [
    ...sheet.variants.filter(({ replaces }) => replaces).map((step) => stepRule(step, rates)),
    ...variantRules(sheet, remarks),
    ...sheet.factors.map(({ when, factor }): PriceRule => ({
      ...when,
      effect: 'multiply',
      input: factor,
      output: factor,
    })),
  ].filter((rule) => rule !== undefined);
  return {
    model,
    type: 'tokens',
    channel_type: owner,
    input: ratioOf(rates.input / 2),
    output: ratioOf(rates.output / 2),
    extra_ratios: extrasOf(rates),
    rules,
    fees,
  };
}

/** Multiples of the kinds with a separate rate. */
function extrasOf(rates: RateSheet['rates']): ExtraRatios {
  const extra = ratesOver({ ...rates, cacheRead: rates.cacheRead ?? rates.cached }, rates);
  // The default of Anthropic's counter.
  if (extra.cached_read_ratio === 0.1) delete extra.cached_read_ratio;
  return extra;
}

/** The kind whose price another has by default. */
function likeOf(kind: UsageKind): UsageKind | undefined {
  const fallback = kindOf(kind).extra?.fallback;
  return typeof fallback === 'string' ? fallback : undefined;
}

/** Rates of kinds as multiples of their side. */
function ratesOver(rates: KindRates, over: { input: number; output: number }): ExtraRatios {
  const extra: ExtraRatios = {};
  for (const { kind, side, key } of extraKinds) {
    const rate = rates[kind];
    if (rate === undefined || over[side] === 0) continue;
    const ratio = ratioOf(rate / over[side]);
    // Equal to its side, which is the default of all kinds but those of caches.
    const isDefault = likeOf(kind) ? ratio === extraRatio(kind, extra) : ratio === 1 && !key.startsWith('cached');
    if (!isDefault) extra[key] = ratio;
  }
  return extra;
}

function stepRule({ when, rates }: Variant, base: RateSheet['rates']): PriceRule | undefined {
  const { input, output } = rates;
  if (input === undefined || output === undefined) return undefined;
  const before = ratesOver(base, base);
  const kinds = Object.fromEntries(
    Object.entries(ratesOver(rates, { input, output })).filter(
      ([key, ratio]) => ratio !== before[key as keyof ExtraRatios],
    ),
  );
  const rule: PriceRule = { ...when, effect: 'replace', input: ratioOf(input / 2), output: ratioOf(output / 2) };
  return Object.keys(kinds).length === 0 ? rule : { ...rule, kinds };
}

/** Number of conditions of a variant: a long prompt and a tier are two. */
const dimensions = ({ when }: Variant): number =>
  [when.over ?? when.up_to, when.modes, when.regions, when.reasoning, when.zone].filter((set) => set !== undefined)
    .length;

/**
 * Multiples of the price for each variant. Where several hold at once their multiples are multiplied; a variant for
 * several conditions gets a rule only if its rates differ from that product.
 */
function variantRules({ model, rates: base, variants }: RateSheet, remarks: ListRemark[]): PriceRule[] {
  const found: { when: RuleConditions; multiples: KindRates }[] = [];
  const ordered = withBounds(variants.filter(({ replaces }) => !replaces)).toSorted(
    (a, b) => dimensions(a) - dimensions(b),
  );
  for (const { when, rates } of ordered) {
    const expected = (kind: UsageKind, side: Side): number | undefined => {
      const start = base[kind];
      if (start === undefined) return undefined;
      return found
        .filter((rule) => isPartOf(rule.when, when))
        .reduce((rate, { multiples }) => rate * multipleOf(multiples, kind, side), start);
    };
    const multiples: KindRates = {};
    for (const side of sides) {
      const [rate, usual] = [rates[side], expected(side, side)];
      multiples[side] = rate === undefined || !usual || isNear(rate, usual) ? 1 : rate / usual;
    }
    for (const { kind, side } of extraKinds) {
      const [rate, usual] = [rates[kind], expected(kind, side)];
      if (rate === undefined) continue;
      if (usual === undefined || usual === 0) {
        if (rate > 0) remarks.push({ model, field: `${kind} ${JSON.stringify(when)}`, remark: 'not_convertible' });
        continue;
      }
      const multiple = rate / usual;
      if (!isNear(rate, usual * multipleOf(multiples, kind, side))) multiples[kind] = multiple;
    }
    if (rates.input === undefined && rates.output === undefined && Object.keys(multiples).length === 2) continue;
    found.push({ when, multiples });
  }
  return found.flatMap(({ when, multiples }) => {
    const { input = 1, output = 1 } = multiples;
    const kinds: ExtraRatios = {};
    for (const { kind, key } of extraKinds) {
      const multiple = multiples[kind];
      if (multiple === undefined) continue;
      kinds[key] = ratioOf(multiple);
      if (kind === 'cached') kinds.cached_read_ratio = kinds[key];
    }
    if (input === 1 && output === 1 && Object.keys(kinds).length === 0) return [];
    const rule: PriceRule = { ...when, effect: 'multiply', input: ratioOf(input), output: ratioOf(output) };
    return [Object.keys(kinds).length === 0 ? rule : { ...rule, kinds }];
  });
}

function multipleOf(multiples: KindRates, kind: UsageKind, side: Side): number {
  const like = likeOf(kind);
  return multiples[kind] ?? (like && multiples[like]) ?? multiples[side] ?? 1;
}

/** Ends each band of lengths where the next begins, so that no two hold at once. */
const withBounds = (variants: readonly Variant[]): Variant[] =>
  variants.map((variant) => {
    const { over, ...others } = variant.when;
    if (over === undefined) return variant;
    const next = variants
      .filter(
        ({ when: { over: start, ...same } }) => start !== undefined && JSON.stringify(same) === JSON.stringify(others),
      )
      .map(({ when }) => when.over ?? 0)
      .filter((start) => start > over);
    return next.length === 0 ? variant : { ...variant, when: { over, up_to: Math.min(...next), ...others } };
  });

/** Whether a rule holds wherever another does, by its conditions. */
const isPartOf = (part: RuleConditions, whole: RuleConditions): boolean =>
  Object.entries(part).every(
    ([name, value]) => JSON.stringify(whole[name as keyof RuleConditions]) === JSON.stringify(value),
  );

/** Equal, or equal at the precision of the list, which writes 0.13 for 0.125. */
function isNear(listed: number, expected: number): boolean {
  if (Math.abs(listed - expected) <= expected * 1e-9) return true;
  const digits = significantDigits(listed);
  return digits >= 2 && Math.abs(listed / expected - 1) < 0.05 && Number(expected.toPrecision(digits)) === listed;
}

const significantDigits = (value: number): number =>
  value.toExponential().replace(/e.*$/, '').replaceAll(/[.]/g, '').replace(/0+$/, '').length;
