import type { OrderCurrency } from '@relay-hub/contract';
import { formatFixed, minus } from '#ui/format/number.ts';

/** Symbols of the currencies of orders. */
export const currencySymbols: Record<OrderCurrency, string> = { USD: '$', CNY: '¥' };

/** Minor units as money: 67671 in CNY → `¥676.71`. */
export function formatMinor(minor: number, currency: OrderCurrency): string {
  const sign = minor < 0 ? minus : '';
  return `${sign}${currencySymbols[currency]}${formatFixed(Math.abs(minor) / 100, 2)}`;
}
