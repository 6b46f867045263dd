import { isAdmin, role, userActions, userStatus } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { outranks } from '#domain/quota/outranks.ts';
import { may, rankOf } from './user-permissions.ts';

const someone = (rank: number, { id = 9, status = userStatus.enabled }: { id?: number; status?: number } = {}) => ({
  id,
  role: rank,
  status,
});
const powers = (me: ReturnType<typeof someone> | undefined, target: ReturnType<typeof someone>) =>
  userActions.filter((action) => may(me, action, target));

const root = someone(role.root, { id: 1 });
const admin = someone(role.admin, { id: 2 });

test('an administrator manages plain users and cannot promote them', () => {
  expect(powers(admin, someone(role.user))).toEqual(['disable', 'delete']);
  expect(powers(admin, someone(role.user, { status: userStatus.disabled }))).toEqual(['enable', 'delete']);
  for (const rank of [role.admin, role.root]) expect(powers(admin, someone(rank))).toEqual([]);
});

test('the super administrator may do everything to other accounts', () => {
  expect(powers(root, someone(role.user))).toEqual(['disable', 'promote', 'delete']);
  expect(powers(root, someone(role.admin))).toEqual(['disable', 'demote', 'delete']);
  expect(powers(root, someone(role.root))).toEqual(['disable', 'demote', 'delete']);
});

test('no account can lock itself out', () => {
  expect(powers(root, root)).toEqual([]);
  expect(powers(admin, admin)).toEqual([]);
});

test('visitors and plain users can do nothing', () => {
  expect(powers(undefined, someone(role.user))).toEqual([]);
  expect(powers(someone(role.user, { id: 3 }), someone(role.user))).toEqual([]);
  expect(outranks(undefined, someone(role.guest))).toBe(false);
});

test('three roles and an unknown one; administrators start at 10', () => {
  expect([1, 10, 100].map(rankOf)).toEqual(['user', 'admin', 'root']);
  expect([0, 2, 11, -1].map(rankOf)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  expect([0, 1, 9].map(isAdmin)).toEqual([false, false, false]);
  expect([10, 11, 100].map(isAdmin)).toEqual([true, true, true]);
});
