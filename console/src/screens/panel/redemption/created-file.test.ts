import { expect, test } from 'vitest';
import { fileName, linesOf, tableOf } from './created-file.ts';

test('a text has one code to a line', () => {
  expect(linesOf(['a1', 'b2'])).toBe('a1\nb2\n');
});

test('a table opens in spreadsheets without running input as formulas', () => {
  expect(tableOf(['a1', '1e5'], ['Code', 'Name', 'Credits'], ['=1+1, "x"', 500])).toBe(
    '\uFEFFCode,Name,Credits\r\na1,"\'=1+1, ""x""",500\r\n1e5,"\'=1+1, ""x""",500\r\n',
  );
});

test.each([
  ['开学季 2026', '开学季 2026'],
  ['a/b\\c:d', 'a_b_c_d'],
  ['..', '_'],
  ['.hidden', '_hidden'],
])('%s is saved as %s', (name, saved) => {
  expect(fileName(name)).toBe(saved);
});
