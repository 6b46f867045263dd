import { expect, test } from 'vitest';
import { tokenRules, type TokenInput } from './token-rules.ts';

const values: TokenInput = { name: 'one', expired_time: -1, remain_quota: 5, unlimited_quota: false };
const nothing = null as unknown as number;
const wrongIn = (given: TokenInput, before?: { expired_time: number; remain_quota: number }) =>
  tokenRules(before, given.unlimited_quota, 'is past')
    .safeParse(given)
    .error?.issues.map(({ path }) => path[0]) ?? [];

test('a name, and credits from 0, are asked for', () => {
  expect(wrongIn(values)).toEqual([]);
  expect(wrongIn({ ...values, name: ' ' })).toEqual(['name']);
  for (const quota of [nothing, -1]) expect(wrongIn({ ...values, remain_quota: quota })).toEqual(['remain_quota']);
});

test('without a limit the amount is not looked at, and stays what it was', () => {
  for (const quota of [nothing, -1]) {
    const unlimited = { ...values, unlimited_quota: true, remain_quota: quota };
    expect(wrongIn(unlimited)).toEqual([]);
    expect(tokenRules(undefined, true, '').parse(unlimited)).toMatchObject({ remain_quota: 0 });
    expect(tokenRules({ expired_time: -1, remain_quota: 7 }, true, '').parse(unlimited)).toMatchObject({
      remain_quota: 7,
    });
  }
});

test('a new end lies ahead; one that was may stay', () => {
  const past = { ...values, expired_time: 1000 };
  expect(wrongIn(past)).toEqual(['expired_time']);
  expect(wrongIn(past, { expired_time: 1000, remain_quota: 5 })).toEqual([]);
});
