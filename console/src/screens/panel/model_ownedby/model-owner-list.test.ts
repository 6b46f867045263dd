import { expect, test } from 'vitest';
import { ownerPage } from './model-owner-list.ts';

const owners = [
  { id: 17, name: 'Qwen', icon: '' },
  { id: 1, name: 'OpenAI', icon: '' },
  { id: 1001, name: 'Acme', icon: '' },
];
const all = { page: 1, size: 10, order: 'id', q: '' };
const ids = (wanted: Partial<typeof all>) => ownerPage(owners, { ...all, ...wanted }).data.map(({ id }) => id);

test('a page is sorted, filtered and cut as the address says', () => {
  expect(ids({})).toEqual([1, 17, 1001]);
  expect(ids({ order: '-id' })).toEqual([1001, 17, 1]);
  expect(ids({ order: 'name' })).toEqual([1001, 1, 17]);
  expect(ids({ q: 'QW' })).toEqual([17]);
  expect(ids({ q: '100' })).toEqual([1001]);
  expect(ids({ size: 2, page: 2 })).toEqual([1001]);
  expect(ownerPage(owners, { ...all, size: 2, page: 2 }).total_count).toBe(3);
});
