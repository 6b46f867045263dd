import { expect, test } from 'vitest';
import { csvText, fileName } from './save-file.ts';

test('a table opens in spreadsheets without running input as formulas', () => {
  expect(
    csvText([
      ['Code', 'Name', 'Credits'],
      ['a1', '=1+1, "x"', 500],
      ['1e5', '@sum', -0.5],
    ]),
  ).toBe('\uFEFFCode,Name,Credits\r\na1,"\'=1+1, ""x""",500\r\n1e5,\'@sum,-0.5\r\n');
});

test.each([
  ['开学季 2026', '开学季 2026'],
  ['a/b\\c:d', 'a_b_c_d'],
  ['..', '_'],
  ['.hidden', '_hidden'],
])('%s is saved as %s', (name, saved) => {
  expect(fileName(name)).toBe(saved);
});
