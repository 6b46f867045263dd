import { expect, test } from 'vitest';
import { shapeOfName } from './name-shape.ts';

test.each([
  ['root', 'rоot'],
  ['root', 'RООT'],
  ['root', 'r00t'],
  ['root', 'ｒｏｏｔ'],
  ['root', '𝐫𝐨𝐨𝐭'],
  ['root', 'ro\u034Fot'],
  ['root', 'ꓣꓳꓳꓔ'],
  ['admin', 'ａｄｍｉｎ'],
  ['admin', 'adrnin'],
  ['admin', 'ADMlN'],
  ['admin', 'аdmіn'],
  ['éee', 'e\u0301ee'],
  ['ёлка', 'ëлка'],
  ['KAPPA', 'ΚΑΡΡΑ'],
  ['wave', 'vvave'],
  ['a-b', 'a–b'],
])('%s and %s look alike', (one, other) => {
  expect(shapeOfName(other)).toBe(shapeOfName(one));
});

test.each([
  ['root', 'roots'],
  ['jose', 'josé'],
  ['anna', 'anne'],
  ['user-2', 'user-3'],
  ['张三', '张王'],
  ['иван', 'ivan'],
  ['a_b', 'a-b'],
])('%s and %s do not', (one, other) => {
  expect(shapeOfName(other)).not.toBe(shapeOfName(one));
});
