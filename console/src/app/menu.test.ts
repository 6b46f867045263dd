import { expect, test } from 'vitest';
import { folds, pathOfFold } from './menu.ts';

const entries = [{ path: '/panel/first' }, { path: '/panel/second' }];

test.each(folds.map(({ id }) => id))('the fold %s leads to its first entry, except authentication', (id) => {
  expect(pathOfFold(id, entries)).toBe(id === 'authentication' ? undefined : '/panel/first');
  expect(pathOfFold(id, [])).toBeUndefined();
});
