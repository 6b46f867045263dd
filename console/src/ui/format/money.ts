import { abbreviate, formatFixed, formatPlain, formatWhole, minus } from './number.ts';
import type { MoneyFormat } from './site-format.ts';

export interface MoneyStyle {
  /** To the credit, for the charge of one call: $0.034312. */
  exact?: boolean | undefined;
  /** To the credit, with all decimals: amounts of a column line up. */
  fixed?: boolean | undefined;
  /** Plus sign before positive amounts. */
  signed?: boolean | undefined;
}

export const dollarsOf = (credits: number, format: MoneyFormat): number => credits / format.quotaPerUnit;

export const creditsOf = (dollars: number, format: MoneyFormat): number => Math.round(dollars * format.quotaPerUnit);

/** Credits in this site's format: dollars, or the abbreviated number. */
export function formatMoney(credits: number, format: MoneyFormat, style: MoneyStyle = {}): string {
  const sign = credits < 0 ? minus : style.signed && credits > 0 ? '+' : '';
  const size = Math.abs(credits);
  if (!format.inCurrency) return sign + (style.exact || style.fixed ? formatWhole(size) : abbreviate(size));
  if (style.fixed) return `${sign}$${formatFixed(dollarsOf(size, format), exactDigits(format))}`;
  return sign + formatDollars(dollarsOf(size, format), style.exact ? exactDigits(format) : undefined);
}

/** The exact amount that `formatMoney` rounds: dollars to the credit, and the credits. */
export function moneyInFull(credits: number, format: MoneyFormat): { dollars: string; credits: string } {
  return {
    dollars: (credits < 0 ? minus : '') + formatDollars(dollarsOf(Math.abs(credits), format), exactDigits(format)),
    credits: formatWhole(credits),
  };
}

/** Dollars with two decimals, below one dollar with four significant digits; or with up to `digits` decimals. */
export function formatDollars(dollars: number, digits?: number): string {
  if (dollars === 0) return digits === undefined ? '$0.00' : '$0';
  const most = digits ?? (dollars < 1 ? 3 - Math.floor(Math.log10(dollars)) : 2);
  // Cents always have two digits.
  return `$${formatFixed(dollars, most).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

const exactDigits = (format: MoneyFormat): number => Math.max(2, Math.ceil(Math.log10(format.quotaPerUnit)));

/** Short dollars for an axis: `$0.20`, `$500`, `$1.5K`, `$2M`. */
export function axisDollars(dollars: number): string {
  if (dollars >= 1e6) return `$${formatPlain(dollars / 1e6, 1)}M`;
  if (dollars >= 1e3) return `$${formatPlain(dollars / 1e3, 1)}K`;
  const plain = formatPlain(dollars);
  // Cents always have two digits.
  return `$${plain.replace(/(\.\d)$/, '$10')}`;
}
