import type { PriceTerms } from './charge.ts';
import type { Decimal } from './decimal.ts';
import { decimal, format, times } from './decimal.ts';
import { extraKinds, extraRatio, type UsageKind } from './usage-kinds.ts';

/** Price of ratio 1: per 1000 tokens, and per call of a `times` price. */
const perRatio = { USD: 0.002, CNY: 0.014 };
const signs = { USD: '$', CNY: '¥' };

export type Currency = keyof typeof perRatio;

/** Dollars per million tokens of a ratio; products of decimals have more digits than their factors. */
export const dollarsPerMillion = (ratio: number): number => Math.round(ratio * perRatio.USD * 1e9) / 1e6;

export interface PriceUnit {
  currency: Currency;
  /** Tokens that the price is for. */
  per: 1000 | 1_000_000;
}

/**
 * Formats the price of a product of ratios (price, token kind, group): six significant digits, at least two
 * decimals, no exponent. Undefined for zero, shown as "Free".
 */
export function priceText(ratios: readonly number[], { currency, per }: PriceUnit): string | undefined {
  return amount([...ratios, per / 1000], currency);
}

/** The same for one call of a `times` price. */
export function callPriceText(ratios: readonly number[], currency: Currency): string | undefined {
  return amount(ratios, currency);
}

export interface ShownPrice {
  kind: UsageKind;
  /** Undefined = free. */
  text: string | undefined;
}

/** Price of a model for a group: per call, or per kind of token. */
export type ModelPrice =
  | { type: 'times'; call: string | undefined }
  | {
      type: 'tokens';
      input: string | undefined;
      output: string | undefined;
      /** Cached input; null if the model has no cache. */
      cached: ShownPrice | null;
      /** Other kinds in the price. */
      others: ShownPrice[];
    };

/** The price of a model for a group. */
export function modelPrice(terms: PriceTerms, groupRatio: number, unit: PriceUnit): ModelPrice {
  if (terms.type === 'times') return { type: 'times', call: callPriceText([terms.input, groupRatio], unit.currency) };
  const side = (ratio: number) => priceText([ratio, groupRatio], unit);
  const shown = (kind: UsageKind): ShownPrice => {
    const { side: of = 'input' } = extraKinds.find((each) => each.kind === kind) ?? {};
    const ratios = [terms[of], extraRatio(kind, terms.extra_ratios), groupRatio];
    // Audio is priced per minute.
    return { kind, text: kind === 'audioSeconds' ? amount([...ratios, 0.06], unit.currency) : priceText(ratios, unit) };
  };
  const named = extraKinds.filter(({ key }) => terms.extra_ratios?.[key] !== undefined).map(({ kind }) => kind);
  const cached = cachedKind(named, terms);
  return {
    type: 'tokens',
    input: side(terms.input),
    output: side(terms.output),
    cached: cached ? shown(cached) : null,
    others: named.filter((kind) => kind !== cached).map(shown),
  };
}

/** Providers count cached tokens in one of two ways. Models without output (embeddings) have no cache by default. */
function cachedKind(named: UsageKind[], { output }: PriceTerms): UsageKind | undefined {
  if (named.includes('cacheRead')) return 'cacheRead';
  return named.includes('cached') || output > 0 ? 'cached' : undefined;
}

function amount(ratios: readonly number[], currency: Currency): string | undefined {
  const exact = ratios.reduce<Decimal>((product, ratio) => times(product, decimal(ratio)), decimal(perRatio[currency]));
  if (exact.digits === 0n) return undefined;
  const [whole = '0', fraction = ''] = format(sixDigits(exact)).split('.');
  return `${signs[currency]}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')}`;
}

function sixDigits({ digits, scale }: Decimal): Decimal {
  const surplus = digits.toString().length - 6;
  if (surplus <= 0) return { digits, scale };
  const step = 10n ** BigInt(surplus);
  const rounded = (digits + step / 2n) / step;
  return surplus <= scale
    ? { digits: rounded, scale: scale - surplus }
    : { digits: rounded * 10n ** BigInt(surplus - scale), scale: 0 };
}
