import { decimal, type Decimal, minus, times } from '../price/decimal.ts';
import { type OrderCurrency, LARGEST_TOPUP } from './codes.ts';

/** Inputs of the price of a top-up: fees of the gateway and settings of the site. */
export interface AmountTerms {
  /** USD per order; applies only without a percentage. */
  fixed_fee: number;
  /** Fraction of the discounted price, 0.03 = 3 %. */
  percent_fee: number;
  currency: OrderCurrency;
  /** Order currency per USD; ignored for USD. */
  rate: number;
  /** Price factor by amount, `{"100": 0.9}`; only the exact amount is discounted. */
  discounts: Readonly<Record<string, number>>;
}

/** The parts of an order's price. `price − discount + fee = total`, in cents of USD. */
export interface OrderAmounts {
  price_minor: number;
  discount_minor: number;
  fee_minor: number;
  total_minor: number;
  /** The sum to pay, in minor units of `currency`. */
  order_minor: number;
  currency: OrderCurrency;
}

/** Whether an amount can be ordered: whole dollars from `least` to one million. */
export const isOrderable = (amount: number, least: number): boolean =>
  Number.isSafeInteger(amount) && amount >= Math.max(1, least) && amount <= LARGEST_TOPUP;

/**
 * Prices a top-up of `amount` whole dollars, without float arithmetic; halves are rounded up. A percentage above 0
 * replaces the fixed fee, which is not discounted. `order_minor` is 0 if less than one minor unit would be due.
 */
export function orderAmounts(amount: number, terms: AmountTerms): OrderAmounts {
  const price = cents(decimal(amount));
  const net = times(price, decimal(discountFactor(amount, terms.discounts)));
  const fee = terms.percent_fee > 0 ? times(net, decimal(terms.percent_fee)) : cents(decimal(terms.fixed_fee));
  const price_minor = rounded(price);
  const net_minor = Math.min(price_minor, rounded(net));
  const fee_minor = rounded(fee);
  const total_minor = net_minor + fee_minor;
  const order_minor =
    terms.currency === 'USD' ? total_minor : rounded(times(decimal(total_minor), decimal(terms.rate)));
  return {
    price_minor,
    discount_minor: price_minor - net_minor,
    fee_minor,
    total_minor,
    order_minor,
    currency: terms.currency,
  };
}

/** Price factor of an amount, from 0 to 1. */
export function discountFactor(amount: number, discounts: Readonly<Record<string, number>>): number {
  const factor = discounts[String(amount)] ?? 1;
  return factor > 0 && factor < 1 ? factor : 1;
}

/**
 * Money returned for a part of an order's credits: the same share of the sum paid, rounded down. The last part returns
 * the rest, so all parts add up to the sum paid.
 */
export function refundMinor(
  order: { order_minor: number; quota: number; refunded_minor: number; refunded_quota: number },
  quota: number,
): number {
  if (quota >= order.quota - order.refunded_quota) return order.order_minor - order.refunded_minor;
  return Number((BigInt(order.order_minor) * BigInt(quota)) / BigInt(order.quota));
}

/** Exact decimal text of minor units: 67671 → `676.71`. */
export function minorText(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Minor units of a decimal text such as `12.5`; undefined for another form or more than two decimals. */
export function minorOf(text: string): number | undefined {
  const match = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

const cents = (value: Decimal): Decimal => times(value, decimal(100));

/** Nearest integer; halves away from zero. Throws beyond the safe integers. */
function rounded(value: Decimal): number {
  const unit = 10n ** BigInt(value.scale);
  const whole = (value.digits * 2n + unit) / (unit * 2n);
  const result = Number(whole);
  if (!Number.isSafeInteger(result)) throw new RangeError('the amount exceeds the safe integers');
  return result;
}

/** Share of a price that a discount takes off, in percent with up to two decimals: 0.855 → 14.5. */
export const discountPercent = (factor: number): number => {
  const { digits, scale } = times(minus(decimal(1), decimal(factor)), decimal(10_000));
  return Number(digits / 10n ** BigInt(scale)) / 100;
};
