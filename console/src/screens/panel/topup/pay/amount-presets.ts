import { isOrderable } from '@relay-hub/contract';

/** Price factor by amount in whole dollars. */
export type Discounts = Readonly<Record<string, number>>;

const usual = [10, 50, 100, 500, 1000];
const mostTiles = 6;

/** Parses the site's `RechargeDiscount`; no discounts if it cannot be read. */
export function discountsOf(json: string): Discounts {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Discounts) : {}; // validated by the server
  } catch {
    // A cached copy from another version; the server computes the price anyway.
    return {};
  }
}

/** Amounts to offer: those of the discounts, or usual ones from the minimum on. */
export function presetsOf(discounts: Discounts, least: number): number[] {
  const own = Object.keys(discounts)
    .map(Number)
    .filter((amount) => isOrderable(amount, least))
    .toSorted((a, b) => a - b);
  if (own.length > 0) return own.slice(0, mostTiles);
  const offered = usual.filter((amount) => amount >= least);
  return offered.length > 0 ? offered : [least];
}
