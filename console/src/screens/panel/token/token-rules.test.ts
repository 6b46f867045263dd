import { expect, test } from 'vitest';
import { tokenRules, type TokenInput } from './token-rules.ts';

const values: TokenInput = { name: 'one', expired_time: -1, remain_quota: 5, unlimited_quota: false };
const nothing = null as unknown as number;
const wrongIn = (given: TokenInput, before?: { expired_time: number; remain_quota: number }) =>
  tokenRules(before, given.unlimited_quota, 'is past')
    .safeParse(given)
    .error?.issues.map(({ path }) => path[0]) ?? [];

test('a name and non-negative credits are required', () => {
  expect(wrongIn(values)).toEqual([]);
  expect(wrongIn({ ...values, name: ' ' })).toEqual(['name']);
  for (const quota of [nothing, -1]) expect(wrongIn({ ...values, remain_quota: quota })).toEqual(['remain_quota']);
});

test('without a limit the amount is neither checked nor changed', () => {
  for (const quota of [nothing, -1]) {
    const unlimited = { ...values, unlimited_quota: true, remain_quota: quota };
    expect(wrongIn(unlimited)).toEqual([]);
    expect(tokenRules(undefined, true, '').parse(unlimited)).toMatchObject({ remain_quota: 0 });
    expect(tokenRules({ expired_time: -1, remain_quota: 7 }, true, '').parse(unlimited)).toMatchObject({
      remain_quota: 7,
    });
  }
});

test('a new expiry must be in the future; an old one may stay', () => {
  const past = { ...values, expired_time: 1000 };
  expect(wrongIn(past)).toEqual(['expired_time']);
  expect(wrongIn(past, { expired_time: 1000, remain_quota: 5 })).toEqual([]);
});
