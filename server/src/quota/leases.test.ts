import { expect, test } from 'vitest';
import { Lease } from './leases.ts';

/** Sweeps, two a second, after which a lease is returned that was used in pauses of this many sweeps. */
function keptFor(pauses: readonly number[]): number {
  const lease = new Lease();
  let now = 10;
  lease.use(now);
  for (const pause of pauses) lease.use((now += pause));
  let unused = 0;
  while (!lease.isUnused(now + unused)) unused++;
  return unused;
}

test.each([
  ['one call', [], 6],
  ['many calls a second', [0, 0, 0, 0, 0, 0], 6],
  ['a call every two seconds', [4, 4, 4, 4, 4, 4, 4, 4], 29],
  ['a call every ten seconds', [20, 20, 20, 20, 20, 20], 120],
  ['one late call after a long time', [5_000], 120],
])('%s: the lease is kept for a time that the account would hardly pause', (_, pauses, sweeps) => {
  expect(keptFor(pauses)).toBe(sweeps);
});

test('an account that rests can lease again at once, one whose credits others need only later', () => {
  const lease = new Lease();
  expect(lease.given(640, 10, 100)).toBe(true);
  lease.rest();
  expect(lease.wanted(10, 101)).toBe(640);
  lease.backOff(101);
  expect(lease.wanted(10, 102)).toBe(0);
  // A single call's credits, when no more was requested, do not prolong that.
  expect(lease.given(10, 10, 103)).toBe(false);
  expect(lease.wanted(10, 105)).toBe(640);
});
