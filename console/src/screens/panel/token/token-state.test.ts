import { asFamilyLimits, noLimits, type Token } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { hasOldKey, stateOf } from './token-state.ts';

const now = 1_800_000_000;
const token: Token = {
  id: 1,
  user_id: 1,
  member_id: null,
  holder: '',
  name: 'prod-agent',
  key: 'sk-••••••••Xq7A',
  status: 1,
  created_time: 1,
  accessed_time: 0,
  rotated_time: 0,
  key_used_time: 0,
  key_used_ip: '',
  old_key: null,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
  group: '',
  enable_cache: false,
  response_store_hours: null,
  tag: '',
  note: '',
  metadata: {},
  limits: noLimits,
  use: [],
  ...asFamilyLimits(noLimits),
};

test.each([
  ['without limits', {}, 'enabled'],
  ['with quota left', { unlimited_quota: false, remain_quota: 1 }, 'enabled'],
  ['with no quota left', { unlimited_quota: false }, 'exhausted'],
  ['marked exhausted', { status: 4 }, 'exhausted'],
  ['that expires in a second', { expired_time: now + 1 }, 'enabled'],
  ['whose time has come', { expired_time: now }, 'expired'],
  ['marked expired', { status: 3 }, 'expired'],
  ['expired and without quota', { expired_time: 1, unlimited_quota: false }, 'expired'],
  ['disabled, whatever else it is', { status: 2, expired_time: 1 }, 'disabled'],
])('a token %s', (_, change, state) => {
  expect(stateOf({ ...token, ...change }, now)).toBe(state);
});

test.each([
  ['before the first rotation', null, false],
  ['until its time', now + 1, true],
  ['at its time', now, false],
])('an old key %s', (_, valid_until, works) => {
  const old_key = valid_until === null ? null : { key: '••••••••Xq7A', valid_until, used_time: 0, used_ip: '' };
  expect(hasOldKey({ old_key }, now)).toBe(works);
});
