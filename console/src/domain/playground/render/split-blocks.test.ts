import { expect, test } from 'vitest';
import { formulaIn, markFormulas } from './formula-marks.ts';
import { imageAddress, linkAddress } from './safe-link.ts';
import { splitBlocks, type SplitText } from './split-blocks.ts';

const kinds = (text: string) => splitBlocks(text).blocks.map(({ kind, text: piece }) => [kind, piece]);

test.each<[string, string, [string, string][]]>([
  [
    'paragraphs',
    'a\nb\n\n\nc',
    [
      ['markdown', 'a\nb\n'],
      ['markdown', 'c'],
    ],
  ],
  [
    'code after a line',
    'a\n```ts\nx\n\ny\n```\nb',
    [
      ['markdown', 'a\n'],
      ['code', 'x\n\ny'],
      ['markdown', 'b'],
    ],
  ],
  ['code that is being written', '~~~\nx\n```\n', [['code', 'x\n```\n']]],
  ['a longer fence around a fence', '````\n```\n````', [['code', '```']]],
  [
    'a list with code and blank lines',
    '- a\n\n  ```\n\n  x\n  ```\n\n  b\n- c',
    [['markdown', '- a\n\n  ```\n\n  x\n  ```\n\n  b\n- c']],
  ],
  [
    'formulas',
    'a\n$$x\n+y$$\n\\[z\\]\nb',
    [
      ['markdown', 'a\n'],
      ['math', 'x\n+y'],
      ['math', 'z'],
      ['markdown', 'b'],
    ],
  ],
  ['a formula without an end', '$$x + y', [['markdown', '$$x + y']]],
])('%s', (_, text, blocks) => {
  expect(kinds(text)).toEqual(blocks);
});

test('a growing answer gives the same blocks as the whole one, and keeps the finished ones', () => {
  const text = 'a **b**\n\n```js\nf()\n\ng()\n```\n\n- x\n\n  y\n- z\n\n$$q$$\n\n| a |\n|---|\n| 1 |\n\nend';
  let split: SplitText | undefined;
  for (let length = 1; length <= text.length; length++) {
    const before = split;
    split = splitBlocks(text.slice(0, length), split);
    expect(split.blocks).toEqual(splitBlocks(text.slice(0, length)).blocks);
    if (before && before.blocks.length > 1) expect(split.blocks[0]).toBe(before.blocks[0]);
  }
});

/** CPU milliseconds of the fastest of three runs. */
const cpuMs = (run: () => unknown): number =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const before = process.threadCpuUsage();
      run();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    }),
  );

test.each<[string, (size: number) => string]>([
  ['an endless line', (size) => 'x'.repeat(size)],
  ['a huge table', (size) => '| a | b |\n|---|---|\n'.concat('| 1 | 2 |\n'.repeat(size / 10))],
  ['endless paragraphs', (size) => 'word\n\n'.repeat(size / 6)],
])('%s is split in proportion to its length, into pieces that can be drawn', (_, textOf) => {
  const text = textOf(1_000_000);
  const quarter = cpuMs(() => splitBlocks(textOf(250_000)));
  expect(cpuMs(() => splitBlocks(text))).toBeLessThan(8 * Math.max(quarter, 5));
  const { blocks } = splitBlocks(text);
  expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThanOrEqual(20_000);
  expect(blocks.map((block) => block.text).join('').length).toBeGreaterThan(text.length / 2);
});

test('formulas are marked outside of code only, and prices are none', () => {
  const marked = markFormulas('`\\(a\\)` costs $5 and $6, \\(x_1\\) and $$y$$');
  expect(marked).toContain('`\\(a\\)` costs $5 and $6, ');
  const codes = [...marked.matchAll(/`([^`]+)`/g)].map(([, code = '']) => formulaIn(code));
  expect(codes).toEqual([undefined, 'x_1', 'y']);
});

test.each([
  ['https://a.example/x', true, false],
  ['mailto:a@b.example', true, false],
  ['javascript:alert(1)', false, false],
  ['JAVASCRIPT:alert(1)', false, false],
  ['data:text/html,<script>1</script>', false, false],
  ['data:image/svg+xml;base64,PHN2Zz4=', false, false],
  ['data:image/png;base64,iVBO', false, true],
  ['/panel/user', false, false],
  ['//evil.example/x.png', false, false],
  ['vbscript:x', false, false],
])('%s as link: %s, as image: %s', (address, link, image) => {
  expect([linkAddress(address) !== undefined, imageAddress(address) !== undefined]).toEqual([link, image]);
});
