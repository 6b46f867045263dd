import { discountsIn } from '#api/discounts.ts';

/** A discount as typed. */
export interface DiscountRow {
  /** Whole dollars. */
  amount: string;
  /** Percent off. */
  off: string;
}

/** The rows in the JSON of discounts, which maps amounts to price factors. */
export const rowsIn = (text: string): DiscountRow[] =>
  Object.entries(discountsIn(text)).map(([amount, factor]) => ({
    amount: amount.trim(),
    off: factor > 0 ? String(percentOff(factor)) : '',
  }));

/** Exact for factors with up to four decimals; the contract's function would bring its arithmetic to this page. */
const percentOff = (factor: number): number => Math.round((1 - factor) * 10_000) / 100;

/** The JSON of rows. Incomplete and repeated rows stay in it, as entries that `areDiscounts` refuses. */
export function textOf(rows: readonly DiscountRow[]): string {
  const map = new Map<string, number>();
  for (const { amount, off } of rows) {
    let name = amount;
    while (map.has(name)) name += ' ';
    map.set(name, factorOf(off));
  }
  return JSON.stringify(Object.fromEntries(map));
}

/** Price factor of a percentage off; 0 if it is not one. */
function factorOf(off: string): number {
  const percent = /^\d+(\.\d{1,2})?$/.test(off) ? Number(off) : 0;
  return percent > 0 && percent < 100 ? Number((1 - percent / 100).toFixed(4)) : 0;
}

/** Whether each entry has a whole amount in dollars and a factor between 0 and 1. */
export const areDiscounts = (text: string): boolean =>
  Object.entries(discountsIn(text)).every(
    ([amount, factor]) => /^[1-9]\d{0,6}$/.test(amount) && factor > 0 && factor <= 1,
  );
