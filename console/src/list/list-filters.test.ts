import { expect, test } from 'vitest';
import { changedFilters, filtersIn, filterToolbar, isFiltered } from './list-filters.ts';

const none = { keyword: '', status: 0, time: '' };
const search = { ...none, keyword: 'a', page: 3, size: 10, order: '-id', edit: '7' };

test('filters are told from the rest of the address', () => {
  expect(filtersIn(none, search)).toEqual({ keyword: 'a', status: 0, time: '' });
  expect(isFiltered(none, search)).toBe(true);
  expect(isFiltered(none, { ...search, keyword: '' })).toBe(false);
});

test.each([
  ['a change keeps the other filters', { status: 2 }, { keyword: 'a', status: 2, time: '' }],
  ['a cleared filter takes its default', { keyword: undefined }, none],
  ['values take the type of the default', { status: '2', time: 7 }, { keyword: 'a', status: 2, time: '7' }],
  ['names that are no filters are dropped', { page: 1 }, { keyword: 'a', status: 0, time: '' }],
])('%s', (_, change, expected) => {
  expect(changedFilters(none, search, change)).toEqual(expected);
});

test('the count on phones keeps the search text and replaces all other filters', async () => {
  const counted: object[] = [];
  const toolbar = filterToolbar({
    none,
    search: { ...search, status: 1 },
    field: 'keyword',
    placeholder: '',
    filters: [],
    onChange: () => undefined,
    count: async (filters) => counted.push(filters),
  });
  await toolbar.countFor({ time: '7d' });
  expect(counted).toEqual([{ keyword: 'a', status: 0, time: '7d' }]);
  expect(toolbar.values).toEqual({ status: 1, time: '' });
});
