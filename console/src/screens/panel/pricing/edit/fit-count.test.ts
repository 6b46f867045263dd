import { expect, test } from 'vitest';
import { fitCount } from './fit-count.ts';

test.each([
  ['all, where there is room', 2, ['缓存读 0.75', '缓存写 9.375']],
  ['as many as there is room for', 2, ['read 0.0125', 'write 0.15625', 'write 1h 0.25']],
  ['one in any case', 1, ['x'.repeat(100), 'y']],
  ['none of none', 0, []],
])('%s', (_, count, parts) => {
  expect(fitCount(parts)).toBe(count);
});
