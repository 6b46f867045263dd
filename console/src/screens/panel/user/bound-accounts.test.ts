import type { User } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { boundAccounts } from './bound-accounts.ts';

const nobody: User = {
  id: 1,
  username: 'liu.wei',
  display_name: '',
  avatar_url: '',
  role: 1,
  status: 1,
  email: '',
  customer_id: '',
  github_id: '',
  github_id_new: 0,
  oidc_id: '',
  lark_id: '',
  wechat_id: '',
  telegram_id: 0,
  group: 'default',
  quota: 0,
  used_quota: 0,
  request_count: 0,
  created_time: 0,
  last_login_time: 0,
  last_call_time: 0,
  register_ip: '',
  deleted_time: 0,
  aff_code: '',
  inviter_id: 0,
  aff_count: 0,
};

test('an account without identities has only its password', () => {
  expect(boundAccounts(nobody)).toEqual([]);
});

test('every connected identity is listed with its name', () => {
  const bound = {
    email: 'liu@example.com',
    github_id: 'liuwei',
    github_id_new: 42,
    oidc_id: 'sub-1',
    lark_id: 'ou_1',
    wechat_id: 'wx_1',
    telegram_id: 7,
  };
  expect(boundAccounts({ ...nobody, ...bound }).map(({ at, name }) => `${at}: ${name}`)).toEqual([
    'email: liu@example.com',
    'github: liuwei',
    'lark: ou_1',
    'wechat: wx_1',
    'telegram: 7',
    'oidc: sub-1',
  ]);
});

test('a GitHub name without an id is not connected', () => {
  expect(boundAccounts({ ...nobody, github_id: 'liuwei' })).toEqual([]);
});
