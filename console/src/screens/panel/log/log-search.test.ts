import { expect, test } from 'vitest';
import { logDefaults } from './log-defaults.ts';
import { stepOf } from './log-search.ts';

const on = (page: number) => ({ ...logDefaults, page, after: '5-5' });
const seen = { next: '1-1', previous: '9-9' };

test.each([
  ['the next page goes on after the rows in sight', 3, { page: 4 }, seen, { page: 4, after: '1-1', before: '' }],
  ['the previous one ends before them', 3, { page: 2 }, seen, { page: 2, after: '', before: '9-9' }],
  ['the first one is found by its number', 2, { page: 1 }, seen, { page: 1, after: '', before: '' }],
  ['so is one further away', 3, { page: 9 }, seen, { page: 9, after: '', before: '' }],
  ['and the next one where nothing is in sight', 3, { page: 4 }, undefined, { page: 4, after: '', before: '' }],
  ['or nothing to go on from', 3, { page: 4 }, { next: '', previous: '' }, { page: 4, after: '', before: '' }],
  ['another filter begins anew', 3, { page: 1, failed: 1 }, seen, { page: 1, failed: 1, after: '', before: '' }],
  ['another size too', 1, { page: 1, size: 10 }, seen, { page: 1, size: 10, after: '', before: '' }],
  ['what has nothing to do with pages stays alone', 3, { id: 7 }, seen, { id: 7 }],
])('%s', (_, page, change, from, expected) => {
  expect(stepOf(on(page), change, from)).toEqual(expected);
});
