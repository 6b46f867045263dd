import { expect, test } from 'vitest';
import { differencesOf } from './differences.ts';

test('tells what changed, and how much did not', () => {
  expect(differencesOf({ id: 1, name: 'a', on: true }, { id: 1, name: 'b', on: false })).toEqual({
    kind: 'changed',
    rows: [
      { field: 'name', before: 'a', after: 'b' },
      { field: 'on', before: 'true', after: 'false' },
    ],
    same: 1,
  });
});

test('tells what came to be and what is gone, without what is empty', () => {
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

test('tells a field that is on one side only, and that there is nothing to compare', () => {
  expect(differencesOf({ id: 1 }, { id: 1, more: 0 }).rows).toEqual([{ field: 'more', before: '', after: '0' }]);
  expect(differencesOf(null, null)).toEqual({ kind: 'none', rows: [], same: 0 });
  expect(differencesOf([1], 'text').kind).toBe('none');
});
