import { describe, expect, test } from 'vitest';
import { axisDollars, creditsOf, dollarsOf, formatMoney, moneyInFull } from './money.ts';
import type { MoneyFormat } from './site-format.ts';

const dollars: MoneyFormat = { inCurrency: true, quotaPerUnit: 500_000 };
const credits: MoneyFormat = { inCurrency: false, quotaPerUnit: 500_000 };

describe('money in dollars', () => {
  test('has two decimals and groups', () => {
    expect(formatMoney(357_240_617, dollars)).toBe('$714.48');
    expect(formatMoney(6_423_000_000, dollars)).toBe('$12,846.00');
    expect(formatMoney(0, dollars)).toBe('$0.00');
  });
  test('has four significant digits below one dollar, and no zeros behind the cents', () => {
    expect(formatMoney(1, dollars)).toBe('$0.000002');
    expect(formatMoney(4999, dollars)).toBe('$0.009998');
    expect(formatMoney(5000, dollars)).toBe('$0.01');
    expect(formatMoney(285, dollars)).toBe('$0.00057');
    expect(formatMoney(156_243, dollars)).toBe('$0.3125');
    expect(formatMoney(175_000, dollars)).toBe('$0.35');
    expect(formatMoney(499_999, dollars)).toBe('$1.00');
  });
  test('shows every credit of one call', () => {
    expect(formatMoney(17_156, dollars, { exact: true })).toBe('$0.034312');
    expect(formatMoney(156_240, dollars, { exact: true })).toBe('$0.31248');
    expect(formatMoney(0, dollars, { exact: true })).toBe('$0');
    expect(formatMoney(500_000_000, dollars, { exact: true, signed: true })).toBe('+$1,000.00');
  });
  test('puts the sign before the currency', () => {
    expect(formatMoney(-2_500_000, dollars)).toBe('−$5.00');
    expect(formatMoney(25_000_000, dollars, { signed: true })).toBe('+$50.00');
    expect(formatMoney(0, dollars, { signed: true })).toBe('$0.00');
  });
  test('follows the credits in a unit', () => {
    expect(formatMoney(1_000_000, { inCurrency: true, quotaPerUnit: 1_000_000 })).toBe('$1.00');
  });
});

describe('money in credits', () => {
  test('is abbreviated from 1e4', () => {
    expect(formatMoney(9999, credits)).toBe('9,999');
    expect(formatMoney(10_000, credits)).toBe('10.0k');
    expect(formatMoney(65_120, credits)).toBe('65.1k');
    expect(formatMoney(-48_200_000, credits)).toBe('−48.2M');
    expect(formatMoney(1_000_000_000, credits)).toBe('1.0B');
  });
  test('is whole when it must be exact', () => expect(formatMoney(17_156, credits, { exact: true })).toBe('17,156'));
});

test('the full amount tells dollars to the credit', () => {
  expect(moneyInFull(357_240_617, dollars)).toEqual({ dollars: '$714.481234', credits: '357,240,617' });
  expect(moneyInFull(-2_500_001, dollars)).toEqual({ dollars: '−$5.000002', credits: '−2,500,001' });
});

test('typed dollars become whole credits and come back', () => {
  expect(creditsOf(25, dollars)).toBe(12_500_000);
  expect(creditsOf(0.1 + 0.2, dollars)).toBe(150_000);
  expect(dollarsOf(12_500_000, dollars)).toBe(25);
});

test('axis amounts are short', () => {
  expect([0, 500, 1500, 2_000_000].map(axisDollars)).toEqual(['$0', '$500', '$1.5K', '$2M']);
  expect([0.05, 0.1, 0.002].map(axisDollars)).toEqual(['$0.05', '$0.10', '$0.002']);
});
