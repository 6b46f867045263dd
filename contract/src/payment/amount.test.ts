import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderCurrency } from './codes.ts';
import { discountPercent, isOrderable, minorOf, minorText, orderAmounts, refundMinor } from './amount.ts';

type Row = [
  name: string,
  amount: number,
  factor: number,
  fixed: number,
  percent: number,
  currency: OrderCurrency,
  rate: number,
  discount: number,
  fee: number,
  total: number,
  due: number,
];

/** Worked out by hand. The last four columns are minor units: discount, fee and total in cents, the sum due. */
const golden: Row[] = [
  ['the smallest amount', 1, 1, 0, 0, 'USD', 7.3, 0, 0, 100, 100],
  ['the largest amount', 1000000, 1, 0, 0, 'USD', 7.3, 0, 0, 100000000, 100000000],
  ['plain yuan', 10, 1, 0, 0, 'CNY', 7.3, 0, 0, 1000, 7300],
  ['largest amount in yuan', 1000000, 1, 0, 0, 'CNY', 7.3, 0, 0, 100000000, 730000000],
  ['rate with four decimals', 100, 1, 0, 0, 'CNY', 7.1234, 0, 0, 10000, 71234],
  ['rate with four decimals, rounded up', 7, 1, 0, 0, 'CNY', 7.1236, 0, 0, 700, 4987],
  ['rate below one', 50, 1, 0, 0, 'CNY', 0.01, 0, 0, 5000, 50],
  ['a half fen is rounded up', 1, 1, 0, 0, 'CNY', 7.305, 0, 0, 100, 731],
  ['rate 1', 99, 1, 0, 0, 'CNY', 1, 0, 0, 9900, 9900],
  ['fixed fee', 50, 1, 0.3, 0, 'USD', 7.3, 0, 30, 5030, 5030],
  ['fixed fee in yuan', 50, 1, 0.3, 0, 'CNY', 7.3, 0, 30, 5030, 36719],
  ['fixed fee above the price', 1, 1, 5, 0, 'USD', 7.3, 0, 500, 600, 600],
  ['fixed fee of one cent', 1, 1, 0.01, 0, 'CNY', 7.3, 0, 1, 101, 737],
  ['fixed fee is not discounted', 100, 0.5, 2, 0, 'USD', 7.3, 5000, 200, 5200, 5200],
  ['percentage', 100, 1, 0, 0.03, 'USD', 7.3, 0, 300, 10300, 10300],
  ['percentage in yuan', 100, 1, 0, 0.03, 'CNY', 7.3, 0, 300, 10300, 75190],
  ['percentage applies alone, the fixed fee does not', 100, 1, 5, 0.03, 'USD', 7.3, 0, 300, 10300, 10300],
  ['0.6 %, which two decimals would turn into 1 %', 100, 1, 0, 0.006, 'USD', 7.3, 0, 60, 10060, 10060],
  ['0.6 % of a dollar', 1, 1, 0, 0.006, 'USD', 7.3, 0, 1, 101, 101],
  ['0.01 %', 100, 1, 0, 0.0001, 'USD', 7.3, 0, 1, 10001, 10001],
  ['0.01 % of 50: half a cent is rounded up', 50, 1, 0, 0.0001, 'USD', 7.3, 0, 1, 5001, 5001],
  ['0.01 % of 49: less than half a cent', 49, 1, 0, 0.0001, 'USD', 7.3, 0, 0, 4900, 4900],
  ['2.9 %', 10, 1, 0, 0.029, 'USD', 7.3, 0, 29, 1029, 1029],
  ['2.9 % of 5: 14.5 cents are rounded up', 5, 1, 0, 0.029, 'USD', 7.3, 0, 15, 515, 515],
  ['100 %', 10, 1, 0, 1, 'USD', 7.3, 0, 1000, 2000, 2000],
  ['1.25 % of the largest amount', 1000000, 1, 0, 0.0125, 'CNY', 7.3, 0, 1250000, 101250000, 739125000],
  ['10 % off', 100, 0.9, 0, 0, 'USD', 7.3, 1000, 0, 9000, 9000],
  ['10 % off with 3 % fee, in yuan', 100, 0.9, 0, 0.03, 'CNY', 7.3, 1000, 270, 9270, 67671],
  ['15 % off with a fixed fee', 500, 0.85, 0.3, 0, 'USD', 7.3, 7500, 30, 42530, 42530],
  ['20 % off with 3 % fee', 1000, 0.8, 0, 0.03, 'CNY', 7.3, 20000, 2400, 82400, 601520],
  ['factor 0.95 with 1 %', 20, 0.95, 0, 0.01, 'CNY', 7.3, 100, 19, 1919, 14009],
  ['factor with three decimals: 95.5 cents are rounded up', 1, 0.955, 0, 0, 'USD', 7.3, 4, 0, 96, 96],
  ['fee of the exact discounted price', 1, 0.955, 0, 0.03, 'USD', 7.3, 4, 3, 99, 99],
  ['factor 0.999', 1, 0.999, 0, 0, 'USD', 7.3, 0, 0, 100, 100],
  ['factor 0.995 rounds to the price: no discount left', 1, 0.9951, 0, 0, 'USD', 7.3, 0, 0, 100, 100],
  ['factor 0.3333', 3, 0.3333, 0, 0, 'CNY', 7.3, 200, 0, 100, 730],
  ['99 % off', 100, 0.01, 0, 0, 'USD', 7.3, 9900, 0, 100, 100],
  ['so cheap that nothing is due', 1, 0.0001, 0, 0, 'USD', 7.3, 100, 0, 0, 0],
  ['one cent is due', 1, 0.005, 0, 0, 'USD', 7.3, 99, 0, 1, 1],
  ['fen below a half: nothing is due', 1, 0.01, 0, 0, 'CNY', 0.4, 99, 0, 1, 0],
  ['float trap: 19 dollars at 7.29', 19, 1, 0, 0, 'CNY', 7.29, 0, 0, 1900, 13851],
  ['float trap: 1.1 x 1.1', 11, 1, 0, 0.1, 'CNY', 1.1, 0, 110, 1210, 1331],
  ['float trap: 4.35', 1, 1, 3.35, 0, 'USD', 7.3, 0, 335, 435, 435],
  ['float trap: 8.2 x 100', 8, 1, 0.2, 0, 'USD', 7.3, 0, 20, 820, 820],
  ['all parts together', 50, 0.88, 1, 0.0235, 'CNY', 7.1875, 600, 103, 4503, 32365],
  ['rate of a large unit', 3, 1, 0, 0.03, 'CNY', 1000000, 0, 9, 309, 309000000],
];

describe('the price of a top-up', () => {
  test.each(golden)('%s', (_, amount, factor, fixed_fee, percent_fee, currency, rate, discount, fee, total, due) => {
    const discounts = { [String(amount)]: factor };
    expect(orderAmounts(amount, { fixed_fee, percent_fee, currency, rate, discounts })).toEqual({
      price_minor: amount * 100,
      discount_minor: discount,
      fee_minor: fee,
      total_minor: total,
      order_minor: due,
      currency,
    });
  });

  test('only the exact amount has its discount', () => {
    const terms = { fixed_fee: 0, percent_fee: 0, currency: 'USD' as const, rate: 1, discounts: { '100': 0.9 } };
    expect(orderAmounts(99, terms).order_minor).toBe(9900);
    expect(orderAmounts(101, terms).order_minor).toBe(10100);
  });

  test('its parts always add up, and a discount is never negative', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (amount, factor, fixed, percent, rate) => {
          const result = orderAmounts(amount, {
            fixed_fee: fixed / 100,
            percent_fee: percent / 10_000,
            currency: 'CNY',
            rate: rate / 10_000,
            discounts: { [String(amount)]: factor / 10_000 },
          });
          expect(result.discount_minor).toBeGreaterThanOrEqual(0);
          expect(result.price_minor - result.discount_minor + result.fee_minor).toBe(result.total_minor);
          expect(Number.isSafeInteger(result.order_minor)).toBe(true);
        },
      ),
    );
  });
});

test.each([
  [1, 1, true],
  [0, 1, false],
  [4, 5, false],
  [5, 5, true],
  [1_000_000, 1, true],
  [1_000_001, 1, false],
  [1.5, 1, false],
  [Number.NaN, 1, false],
  [-1, 1, false],
])('%d dollars with a minimum of %d: %s', (amount, least, orderable) => {
  expect(isOrderable(amount, least)).toBe(orderable);
});

describe('the money of a partial refund', () => {
  test.each([
    ['40 % of 676.71', 67_671, 50_000_000, 0, 0, 20_000_000, 27_068],
    ['the rest after it', 67_671, 50_000_000, 27_068, 20_000_000, 30_000_000, 40_603],
    ['one credit of a small order', 100, 500_000, 0, 0, 1, 0],
    ['all of it', 100, 500_000, 0, 0, 500_000, 100],
    ['a third, rounded down', 100, 3, 0, 0, 1, 33],
  ])('%s', (_, order_minor, quota, refunded_minor, refunded_quota, part, minor) => {
    expect(refundMinor({ order_minor, quota, refunded_minor, refunded_quota }, part)).toBe(minor);
  });

  test('all parts together return exactly the sum paid, never more on the way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000_000_000 }),
        fc.array(fc.integer({ min: 1, max: 1_000_000_000 }), { minLength: 1, maxLength: 8 }),
        (order_minor, parts) => {
          const quota = parts.reduce((sum, part) => sum + part, 0);
          const order = { order_minor, quota, refunded_minor: 0, refunded_quota: 0 };
          for (const part of parts) {
            order.refunded_minor += refundMinor(order, part);
            order.refunded_quota += part;
            expect(order.refunded_minor).toBeLessThanOrEqual(order_minor);
          }
          expect(order.refunded_minor).toBe(order_minor);
        },
      ),
    );
  });
});

test.each([
  [0, '0.00'],
  [5, '0.05'],
  [67_671, '676.71'],
  [-1, '-0.01'],
  [100_000_000, '1000000.00'],
])('%d minor units are %s', (minor, text) => {
  expect(minorText(minor)).toBe(text);
  if (minor >= 0) expect(minorOf(text)).toBe(minor);
});

test.each(['12.5', '12', '0.1'])('a gateway may write %s', (text) => {
  expect(minorOf(text)).toBe(Math.round(Number(text) * 100));
});

test.each(['', '1.234', '-1', '1e3', ' 1', '1,00', '.5', 'NaN', '١'])('%j is no sum of money', (text) => {
  expect(minorOf(text)).toBeUndefined();
});

test.each([
  [0.9, 10],
  [0.855, 14.5],
  [0.8, 20],
  [1, 0],
])('a factor of %d is %d %% off', (factor, percent) => {
  expect(discountPercent(factor)).toBe(percent);
});
