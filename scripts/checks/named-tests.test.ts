import { expect, test } from 'vitest';
import { isTitled } from './named-tests.ts';

test('a title is the whole of what was reported, or a part of it', () => {
  expect(isTitled('lasts three minutes', 'lasts three minutes')).toBe(true);
  expect(isTitled('/price is at most 1200 wide', ' is at most 1200 wide')).toBe(true);
  expect(isTitled('lasts three hours', 'lasts three minutes')).toBe(false);
});

test('where a placeholder stood, anything may stand, in its order', () => {
  expect(isTitled('an empty name is refused', '%s is refused')).toBe(true);
  expect(isTitled('success stays 1.5 s', ' stays ${stays / 1000} s')).toBe(true);
  expect(isTitled('{"a":1} is refused at name', '%o is refused at %s')).toBe(true);
  expect(isTitled('is at name refused', '%o is refused at %s')).toBe(false);
});
