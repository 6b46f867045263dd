import { expect, test } from 'vitest';
import { differencesOf } from './differences.ts';

test('lists changed fields and counts equal ones', () => {
  expect(differencesOf({ id: 1, name: 'a', on: true }, { id: 1, name: 'b', on: false })).toEqual({
    kind: 'changed',
    rows: [
      { field: 'name', before: 'a', after: 'b' },
      { field: 'on', before: 'true', after: 'false' },
    ],
    same: 1,
  });
});

test('lists fields of a created or removed record, without empty ones', () => {
  expect(differencesOf(null, { id: 1, note: '', list: [1] })).toMatchObject({
    kind: 'made',
    rows: [
      { field: 'id', before: '', after: '1' },
      { field: 'list', after: '[1]' },
    ],
  });
  expect(differencesOf({ id: 1, gone: null }, null)).toEqual({
    kind: 'gone',
    rows: [{ field: 'id', before: '1', after: '' }],
    same: 0,
  });
});

test('lists fields of one side only, and reports nothing to compare', () => {
  expect(differencesOf({ id: 1 }, { id: 1, more: 0 }).rows).toEqual([{ field: 'more', before: '', after: '0' }]);
  expect(differencesOf(null, null)).toEqual({ kind: 'none', rows: [], same: 0 });
  expect(differencesOf([1], 'text').kind).toBe('none');
});

test('formats times and leaves other numbers unchanged', () => {
  const moment = new Date(2026, 10, 22, 9, 5, 3).getTime() / 1000;
  expect(
    differencesOf(
      { password_time: 0, expired_time: -1, quota: 1e9 },
      { password_time: moment, expired_time: moment, quota: 2e9 },
    ).rows,
  ).toEqual([
    { field: 'password_time', before: '0', after: '2026-11-22 09:05:03' },
    { field: 'expired_time', before: '-1', after: '2026-11-22 09:05:03' },
    { field: 'quota', before: '1000000000', after: '2000000000' },
  ]);
});
