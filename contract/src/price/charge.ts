import { type Decimal, decimal, format, minus, times } from './decimal.ts';
import type { ExtraRatios } from './extra-ratios.ts';
import type { PriceFee, PriceRule } from './price-rules.ts';
import { type EventCounts, type FeeEvent, feeEvents } from './served.ts';
import { extraRatio, kindNames, kindOf, ruleRatio, type Usage, type UsageKind } from './usage-kinds.ts';

/**
 * The cost of a call. The server charges with it, and the console uses it to
 * explain a log row. Ratios are decimals and counts are integers, so the sum is computed exactly, in units of
 * 10^-scale credits, and rounded up to a whole credit once, at the end.
 */

export interface PriceTerms {
  type: 'tokens' | 'times';
  input: number;
  output: number;
  extra_ratios?: ExtraRatios | undefined;
  rules?: readonly PriceRule[] | undefined;
  fees?: readonly PriceFee[] | undefined;
}

/** A price for one group, ready to multiply: whole numbers in units of 10^-scale credits. */
export interface Rates {
  type: 'tokens' | 'times';
  scale: number;
  unit: bigint;
  perToken: Record<UsageKind, bigint>;
  /** Price of one unit at a `times` price. */
  perUnit: bigint;
  /** Fee of one event; absent: none. */
  perEvent: Partial<Record<FeeEvent, bigint>>;
  /** Whether all rates and fees are zero; free calls are not charged the minimum. */
  free: boolean;
}

/** The ratios of a price after its rules, exact. */
interface RuledRatios {
  sides: Record<'input' | 'output', Decimal>;
  kinds: Record<UsageKind, Decimal>;
}

/** Ratios of a price under the rules that hold for a call, before the group's. */
function ruledRatios(terms: PriceTerms, rules: readonly PriceRule[]): RuledRatios {
  const base = rules.findLast(({ effect }) => effect === 'replace');
  const { input, output } = base ?? terms;
  const extra = base ? { ...terms.extra_ratios, ...base.kinds } : terms.extra_ratios;
  const product = (start: Decimal, multiples: number[]) =>
    multiples.reduce((now, by) => times(now, decimal(by)), start);
  const multiplied = rules.filter(({ effect }) => effect === 'multiply');
  const sides = {
    input: product(
      decimal(input),
      multiplied.map((rule) => rule.input),
    ),
    output: product(
      decimal(output),
      multiplied.map((rule) => rule.output),
    ),
  };
  const each = kindNames.map((kind) => {
    const { side } = kindOf(kind);
    const start = times(decimal(side === 'input' ? input : output), decimal(extraRatio(kind, extra)));
    return [
      kind,
      product(
        start,
        multiplied.map((rule) => ruleRatio(kind, rule.kinds) ?? rule[side]),
      ),
    ] as const;
  });
  return { sides, kinds: Object.fromEntries(each) as Record<UsageKind, Decimal> }; // `kindNames` has every kind
}

/** The ratios of both sides under the rules that hold for a call, before the group's; decimals as text. */
export function ratiosUnder(terms: PriceTerms, rules: readonly PriceRule[]): Record<'input' | 'output', string> {
  const { sides } = ruledRatios(terms, rules);
  return { input: format(sides.input), output: format(sides.output) };
}

/** 1000 × fee credits, as for a `times` price. */
const THOUSAND: Decimal = { digits: 1000n, scale: 0 };

/**
 * Precomputes the rates of a price and a group ratio. `rules`: those of the price that hold for the call, as `rulesFor`
 * finds them.
 */
export function ratesOf(terms: PriceTerms, groupRatio: number, rules: readonly PriceRule[] = []): Rates {
  const group = decimal(groupRatio);
  const ruled = ruledRatios(terms, rules);
  const tokens = kindNames.map((kind) => times(ruled.kinds[kind], group));
  const unit = times(times(ruled.sides.input, group), THOUSAND);
  const fees = (terms.fees ?? []).map(({ event, fee }) => ({ event, ...times(times(decimal(fee), group), THOUSAND) }));
  const scale = Math.max(unit.scale, ...tokens.map((rate) => rate.scale), ...fees.map((rate) => rate.scale));
  const scaled = ({ digits, scale: own }: Decimal): bigint => digits * 10n ** BigInt(scale - own);
  const perToken = Object.fromEntries(tokens.map((rate, at) => [kindNames[at], scaled(rate)])) as Record<
    UsageKind,
    bigint
  >; // `tokens` has every kind
  const perEvent = Object.fromEntries(fees.map((fee) => [fee.event, scaled(fee)]));
  const isFree = terms.type === 'times' ? unit.digits === 0n : tokens.every(({ digits }) => digits === 0n);
  return {
    type: terms.type,
    scale,
    unit: 10n ** BigInt(scale),
    perToken,
    perUnit: scaled(unit),
    perEvent,
    free: isFree && fees.every(({ digits }) => digits === 0n),
  };
}

/** Rates of which each is the highest among several rates of one price: what a call may cost at most. */
export function dearestRates(all: readonly [Rates, ...Rates[]]): Rates {
  const [first] = all;
  if (all.length === 1) return first;
  const scale = Math.max(...all.map((rates) => rates.scale));
  const highest = (of: (rates: Rates) => bigint): bigint =>
    all.reduce((most, rates) => {
      const rate = of(rates) * 10n ** BigInt(scale - rates.scale);
      return rate > most ? rate : most;
    }, 0n);
  const perToken = Object.fromEntries(
    kindNames.map((kind) => [kind, highest((rates) => rates.perToken[kind])]),
  ) as Record<UsageKind, bigint>; // `kindNames` has every kind
  const events = feeEvents.filter((event) => all.some((rates) => rates.perEvent[event] !== undefined));
  return {
    type: first.type,
    scale,
    unit: 10n ** BigInt(scale),
    perToken,
    perUnit: highest((rates) => rates.perUnit),
    perEvent: Object.fromEntries(events.map((event) => [event, highest((rates) => rates.perEvent[event] ?? 0n)])),
    free: all.every((rates) => rates.free),
  };
}

/** Invalid counts cost nothing. */
const isCount = (count: number): boolean => Number.isSafeInteger(count) && count > 0;

/** Units charged at a `times` price. */
const unitsOf = ({ units }: Usage): number => (isCount(units) ? units : 1);

/** Larger amounts are a pricing mistake, and not exact in JSON. */
const mostCredits = BigInt(Number.MAX_SAFE_INTEGER);

/** Fees of a call, in units of 10^-scale credits. */
function feesOf({ perEvent }: Rates, events: EventCounts | undefined): bigint {
  let sum = 0n;
  if (events)
    for (const event in perEvent) {
      const count = events[event as FeeEvent] ?? 0;
      if (isCount(count)) sum += BigInt(count) * (perEvent[event as FeeEvent] ?? 0n);
    }
  return sum;
}

/**
 * Credits for an answered call: at least 1 where the price and group ratio are above zero. Tokens and fees are rounded
 * up once. A `times` price is charged whether or not tokens were reported, and rounded down, as the product line always
 * did.
 */
export function creditsFor(rates: Rates, usage: Usage, events?: EventCounts): number {
  if (rates.free) return 0;
  const sum = sumOf(rates, usage, events);
  return capped((rates.type === 'times' ? sum : sum + rates.unit - 1n) / rates.unit);
}

/** The same before it is rounded and without a minimum, as decimal text. */
export const exactCredits = (rates: Rates, usage: Usage, events?: EventCounts): string =>
  format({ digits: sumOf(rates, usage, events), scale: rates.scale });

/** Tokens or units, and fees, in units of 10^-scale credits. */
function sumOf(rates: Rates, usage: Usage, events: EventCounts | undefined): bigint {
  let sum = feesOf(rates, events);
  if (rates.type === 'times') return sum + BigInt(unitsOf(usage)) * rates.perUnit;
  // Reading own members in this way is five times as fast as by a list of names; `units` has no rate.
  for (const kind in usage) {
    const count = usage[kind as UsageKind];
    if (count > 0 && isCount(count)) sum += BigInt(count) * (rates.perToken[kind as UsageKind] ?? 0n);
  }
  return sum;
}

const capped = (credits: bigint): number => Math.max(1, Number(credits < mostCredits ? credits : mostCredits));

export interface ChargePart {
  kind: UsageKind | FeeEvent | 'call';
  count: number;
  /** Price ratio × the kind's own ratio, after the rules and before the group's; a decimal as text. */
  ratio: string;
  /** count × ratio × group ratio, exact. */
  credits: string;
  /** Another model that worked for the call; absent: the call's own. */
  model?: string;
}

export interface ChargeExplained {
  parts: ChargePart[];
  /** Sum of the parts, exact. */
  subtotal: string;
  /** Effect of rounding or of the minimum of one credit; negative if a `times` price was rounded down. */
  rounding: string;
  credits: number;
  /** Sum of the parts after rounding, of which a cached reply is charged `percent`; absent: `credits`. */
  whole?: number;
  percent?: number;
}

/** A decimal as `format` writes it. */
function decimalIn(text: string): Decimal {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** The exact sum of two amounts as decimal text, or their difference with `sign` -1. */
export function addCredits(one: string, other: string, sign: 1n | -1n = 1n): string {
  const { digits, scale } = decimalIn(other);
  return format(minus(decimalIn(one), { digits: -sign * digits, scale }));
}

/** Credits of an amount in US dollars, or in 10^-`scale` dollars, exact. */
export function creditsOfDollars(amount: number, scale = 0): string {
  const dollars = decimal(amount);
  return format(times({ digits: dollars.digits, scale: dollars.scale + scale }, { digits: 500_000n, scale: 0 }));
}

/** Adds the charge of another model to that of a call; each is rounded for itself. */
export function withOther(own: ChargeExplained, other: ChargeExplained, model: string): ChargeExplained {
  return {
    parts: [...own.parts, ...other.parts.map((part) => ({ ...part, model }))],
    subtotal: addCredits(own.subtotal, other.subtotal),
    rounding: addCredits(own.rounding, other.rounding),
    credits: own.credits + other.credits,
  };
}

/** A part of a charge in whole credits, rounded up. */
export const shareOf = (credits: number, percent: number): number =>
  Number((BigInt(credits) * BigInt(percent) + 99n) / 100n);

/** Charges of a call besides its tokens. */
export interface ChargedBy {
  /** The rules that held. */
  rules?: readonly PriceRule[] | undefined;
  events?: EventCounts | undefined;
}

/** Explains a charge like an invoice: parts, subtotal, rounding, total. */
export function explainCharge(
  terms: PriceTerms,
  groupRatio: number,
  usage: Usage,
  { rules = [], events }: ChargedBy = {},
): ChargeExplained {
  const rates = ratesOf(terms, groupRatio, rules);
  const ruled = ruledRatios(terms, rules);
  const credits = creditsFor(rates, usage, events);
  let sum = 0n;
  const parts: ChargePart[] = [];
  const add = (kind: ChargePart['kind'], count: number, rate: bigint, ratio: Decimal): void => {
    const cost = BigInt(count) * rate;
    sum += cost;
    parts.push({ kind, count, ratio: format(ratio), credits: format({ digits: cost, scale: rates.scale }) });
  };
  if (terms.type === 'times') add('call', unitsOf(usage), rates.perUnit, times(ruled.sides.input, THOUSAND));
  else
    for (const kind of kindNames) {
      if (isCount(usage[kind])) add(kind, usage[kind], rates.perToken[kind], ruled.kinds[kind]);
    }
  for (const { event, fee } of terms.fees ?? []) {
    const count = events?.[event] ?? 0;
    if (isCount(count)) add(event, count, rates.perEvent[event] ?? 0n, times(decimal(fee), THOUSAND));
  }
  const subtotal = { digits: sum, scale: rates.scale };
  const rounding = minus({ digits: BigInt(credits), scale: 0 }, subtotal);
  return { parts, subtotal: format(subtotal), rounding: format(rounding), credits };
}
