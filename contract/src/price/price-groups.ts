import type { PriceTerms } from './charge.ts';
import type { ExtraRatios } from './extra-ratios.ts';
import type { PriceInput } from './price-input.ts';

export type PriceGroup<P extends PriceInput = PriceInput> = Omit<PriceInput, 'model'> & {
  models: string[];
  /** The prices, in the order of `models`. */
  prices: P[];
};

/** Whether two prices have equal terms and owner. */
export const samePrice = (a: Omit<PriceInput, 'model'>, b: Omit<PriceInput, 'model'>): boolean => keyOf(a) === keyOf(b);

/** Groups models of equal terms, in order of first occurrence. */
export function groupPrices<P extends PriceInput>(prices: readonly P[]): PriceGroup<P>[] {
  const groups = new Map<string, PriceGroup<P>>();
  for (const price of prices) {
    const key = keyOf(price);
    const known = groups.get(key);
    if (known) {
      known.models.push(price.model);
      known.prices.push(price);
      continue;
    }
    const { type, channel_type, input, output, extra_ratios, rules, fees } = price;
    const terms = { type, channel_type, input, output, extra_ratios, rules, fees };
    groups.set(key, { ...terms, models: [price.model], prices: [price] });
  }
  return [...groups.values()];
}

function keyOf(price: PriceTerms & { channel_type: number }): string {
  const { type, channel_type, input, output, extra_ratios, rules = [], fees = [] } = price;
  return JSON.stringify([type, channel_type, input, output, sorted(extra_ratios), rules, fees]);
}

/** Absent and empty multiples are equal. */
const sorted = (extra: ExtraRatios | undefined) =>
  Object.entries(extra ?? {})
    .filter(([, ratio]) => ratio !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
