import { expect, test } from 'vitest';
import { movedTo } from './moved-to.ts';

test.each([
  [0, 2, ['b', 'c', 'a']],
  [2, 0, ['c', 'a', 'b']],
  [1, 1, ['a', 'b', 'c']],
  [0, -1, ['a', 'b', 'c']],
  [2, 3, ['a', 'b', 'c']],
  [5, 0, ['a', 'b', 'c']],
])('the item at %d moved to %d', (from, to, moved) => {
  expect(movedTo(['a', 'b', 'c'], from, to)).toEqual(moved);
});
