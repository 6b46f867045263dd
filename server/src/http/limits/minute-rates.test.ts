import { expect, test } from 'vitest';
import { MinuteRates } from './minute-rates.ts';

const START = 1_800_000_000_000;

function takeAll(rates: MinuteRates, limit: number, nowMs: number): number {
  let taken = 0;
  while (rates.take(1, limit, nowMs).waitMs === 0) taken++;
  return taken;
}

test('under sixty a minute are counted in windows that begin with the first call', () => {
  const rates = new MinuteRates();
  expect(rates.take(1, 3, START)).toEqual({ limit: 3, remaining: 2, waitMs: 0, resetMs: 60_000 });
  expect(takeAll(rates, 3, START + 20_000)).toBe(2);
  expect(rates.take(1, 3, START + 20_000)).toEqual({ limit: 3, remaining: 0, waitMs: 40_000, resetMs: 40_000 });
  expect(takeAll(rates, 3, START + 59_999)).toBe(0);
  expect(takeAll(rates, 3, START + 60_000)).toBe(3);
  expect(rates.take(2, 3, START + 60_000)).toMatchObject({ remaining: 2 });
});

test('from sixty on a burst of ten seconds is allowed, and the bucket refills evenly', () => {
  const rates = new MinuteRates();
  expect(takeAll(rates, 60, START)).toBe(10);
  expect(rates.take(1, 60, START)).toEqual({ limit: 60, remaining: 0, waitMs: 1000, resetMs: 10_000 });
  expect(rates.take(1, 60, START + 400)).toEqual({ limit: 60, remaining: 0, waitMs: 600, resetMs: 9600 });
  expect(takeAll(rates, 60, START + 3000)).toBe(3);
  expect(takeAll(rates, 60, START + 3_600_000)).toBe(10);
});

test.each([61, 90, 119, 600, 1000, 10_000_000])('%i a minute are not rounded to anything else', (limit) => {
  const rates = new MinuteRates();
  let taken = takeAll(rates, limit, START);
  expect(taken).toBe(Math.trunc(limit / 6));
  const steps = limit > 1000 ? 1 : 600;
  const stepMs = limit > 1000 ? 6 : 100;
  for (let i = 1; i <= steps; i++) taken += takeAll(rates, limit, START + i * stepMs);
  const over = (limit * steps * stepMs) / 60_000;
  expect(taken - Math.trunc(limit / 6)).toBeGreaterThanOrEqual(Math.floor(over) - 1);
  expect(taken - Math.trunc(limit / 6)).toBeLessThanOrEqual(Math.ceil(over));
});

test('a rate of zero lets nothing through', () => {
  expect(takeAll(new MinuteRates(), 0, START)).toBe(0);
});

test('a changed limit starts with its full allowance', () => {
  const rates = new MinuteRates();
  expect(takeAll(rates, 5, START)).toBe(5);
  expect(takeAll(rates, 10, START)).toBe(10);
  expect(takeAll(rates, 120, START)).toBe(20);
  expect(takeAll(rates, 5, START)).toBe(5);
});

test('a clock that goes back removes no allowance', () => {
  const rates = new MinuteRates();
  rates.take(1, 60, START);
  expect(rates.take(1, 60, START - 5000)).toMatchObject({ remaining: 8, waitMs: 0 });
});
