import type { ExtraRatios, PriceFee, PriceRule, PriceTerms, Rates } from '@relay-hub/contract';
import { ratesOf } from '@relay-hub/contract';

export interface PriceRow extends PriceTerms {
  version: number;
  model: string;
  channel_type: number;
  extra_ratios: ExtraRatios;
  rules?: PriceRule[];
  fees?: PriceFee[];
  /** Unix seconds; the default price has none. */
  valid_from?: number;
}

/** A price in force. */
export interface BookedPrice extends PriceRow {
  /** Rates for a group under those rules of the price that hold, in its order; cached. */
  ratesFor(groupRatio: number, rules?: readonly PriceRule[]): Rates;
}

const freeTerms = { type: 'tokens', input: 0, output: 0 } as const;

/** The price of a call that costs nothing, under no name. */
export const freePrice: BookedPrice = {
  ...freeTerms,
  version: 0,
  model: '',
  channel_type: 0,
  extra_ratios: {},
  ratesFor: (ratio) => ratesOf(freeTerms, ratio),
};

/** Prices by model: exact name, then the longest prefix among names ending in `*`, then the default or none. */
export class PriceBook {
  readonly #exact = new Map<string, BookedPrice>();
  readonly #prefixes: { prefix: string; price: BookedPrice }[] = [];
  readonly #fallback: BookedPrice | undefined;

  /**
   * `fallback`: the price of unpriced models; undefined refuses them. `more`: ratios by exact model name, for prices
   * without their own.
   */
  constructor(
    rows: readonly PriceRow[],
    fallback: { input: number; output: number } | undefined,
    more: Readonly<Record<string, ExtraRatios>> = {},
  ) {
    for (const row of rows) {
      const price = bookedPrice(withRatios(row, more));
      if (row.model.endsWith('*')) this.#prefixes.push({ prefix: row.model.slice(0, -1), price });
      else this.#exact.set(row.model, price);
    }
    this.#prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
    if (fallback)
      this.#fallback = bookedPrice({
        ...fallback,
        version: 0,
        model: '',
        type: 'tokens',
        channel_type: 0,
        extra_ratios: {},
      });
  }

  find(model: string): BookedPrice | undefined {
    return this.listed(model) ?? this.#fallback;
  }

  /** The price under exactly this name. */
  exact(model: string): BookedPrice | undefined {
    return this.#exact.get(model);
  }

  /** Exact names with a prefix. */
  namesWith(prefix: string): string[] {
    return [...this.#exact.keys()].filter((name) => name.startsWith(prefix));
  }

  /** As `find`, without the default price. */
  listed(model: string): BookedPrice | undefined {
    return this.#exact.get(model) ?? this.#prefixes.find(({ prefix }) => model.startsWith(prefix))?.price;
  }
}

function withRatios(row: PriceRow, more: Readonly<Record<string, ExtraRatios>>): PriceRow {
  // A model may be called `constructor`.
  if (!Object.hasOwn(more, row.model)) return row;
  return { ...row, extra_ratios: { ...more[row.model], ...row.extra_ratios } };
}

const noRules: readonly PriceRule[] = [];

/** A price with its rates. */
export function bookedPrice(row: PriceRow): BookedPrice {
  const plain = new Map<number, Rates>();
  const ruled = new Map<string, Rates>();
  const { rules: all = [] } = row;
  return {
    ...row,
    ratesFor(groupRatio, rules = noRules) {
      if (rules.length === 0) return plain.get(groupRatio) ?? cached(plain, groupRatio, () => ratesOf(row, groupRatio));
      const key = `${groupRatio} ${rules.map((rule) => all.indexOf(rule)).join()}`;
      return cached(ruled, key, () => ratesOf(row, groupRatio, rules));
    },
  };
}

function cached<K>(kept: Map<K, Rates>, key: K, make: () => Rates): Rates {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
