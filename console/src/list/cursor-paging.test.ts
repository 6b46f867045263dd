import { expect, test } from 'vitest';
import { withCursors } from './cursor-paging.ts';

const none = { after: '', before: '' };
const on = (page: number) => ({ page, size: 30, order: '', failed: 0, id: 0, ...none, after: '5-5' });
const seen = { next: '1-1', previous: '9-9' };

test.each([
  ['the next page continues after the rows on screen', 3, { page: 4 }, seen, { page: 4, after: '1-1', before: '' }],
  ['the previous page ends before them', 3, { page: 2 }, seen, { page: 2, after: '', before: '9-9' }],
  ['the first page is found by its number', 2, { page: 1 }, seen, { page: 1, after: '', before: '' }],
  ['so is a page further away', 3, { page: 9 }, seen, { page: 9, after: '', before: '' }],
  ['and the next page while no rows are on screen', 3, { page: 4 }, undefined, { page: 4, after: '', before: '' }],
  ['or without a cursor', 3, { page: 4 }, { next: '', previous: '' }, { page: 4, after: '', before: '' }],
  [
    'another filter starts from the first page',
    3,
    { page: 1, failed: 1 },
    seen,
    { page: 1, failed: 1, after: '', before: '' },
  ],
  ['another page size too', 1, { page: 1, size: 10 }, seen, { page: 1, size: 10, after: '', before: '' }],
  ['a change without a page is not touched', 3, { id: 7 }, seen, { id: 7 }],
])('%s', (_, page, change, from, expected) => {
  expect(withCursors(none, on(page), change, from)).toEqual(expected);
});

test('cursors that are numbers stay numbers', () => {
  const search = { page: 1, size: 30, order: '', after: 0, before: 0 };
  expect(withCursors({ after: 0, before: 0 }, search, { page: 2 }, { next: '17', previous: '' })).toEqual({
    page: 2,
    after: 17,
    before: 0,
  });
});
