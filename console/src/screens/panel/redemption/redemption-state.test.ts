import type { Redemption } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { noFilters } from './redemption-defaults.ts';
import { withMaskedCode } from './redemption-search.ts';
import { maskOf, stateOf } from './redemption-state.ts';

const now = 1_800_000_000;
const code: Redemption = {
  id: 1,
  user_id: 1,
  username: 'root',
  key: '0f49••••••••a793',
  status: 1,
  name: 'launch',
  quota: 500,
  plan_id: null,
  created_time: 1,
  expired_time: -1,
  redeemed_time: 0,
  redeemed_user_id: 0,
  redeemed_username: '',
};

test.each([
  ['without an end', {}, 'unredeemed'],
  ['that ends in a second', { expired_time: now + 1 }, 'unredeemed'],
  ['whose time has come', { expired_time: now }, 'expired'],
  ['that was redeemed, whatever its time', { status: 3, expired_time: 1 }, 'redeemed'],
  ['that is disabled, whatever its time', { status: 2, expired_time: 1 }, 'disabled'],
])('a code %s', (_, change, state) => {
  expect(stateOf({ ...code, ...change }, now)).toBe(state);
});

describe('a whole code', () => {
  const whole = '0f4912345678123456781234567aa793';

  test.each([whole, whole.toUpperCase(), `  ${whole.slice(0, 8)}-${whole.slice(8)} `])('%s is masked', (text) => {
    expect(maskOf(text)).toBe('0f49••••••••a793');
  });

  test.each(['', 'launch', '#12', whole.slice(1), `${whole}0`, whole.replace('0', 'g')])('%o is none', (text) => {
    expect(maskOf(text)).toBe(text);
  });

  test('never gets into the address', () => {
    expect(withMaskedCode({ ...noFilters, status: 2, keyword: whole })).toEqual({
      ...noFilters,
      status: 2,
      keyword: '0f49••••••••a793',
    });
  });
});
