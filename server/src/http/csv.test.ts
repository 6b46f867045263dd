import { describe, expect, test } from 'vitest';
import { csv, timeWriter } from './csv.ts';

async function written(...cells: (string | number | boolean | null)[]): Promise<string> {
  const columns = cells.map((_, at) => ({ heading: `c${at}`, cell: (row: typeof cells) => row[at]! }));
  let text = '';
  for await (const piece of csv(columns, [cells])) text += piece;
  const [heading, ...rest] = text.split('\r\n');
  expect(heading).toBe(`\uFEFF${cells.map((_, at) => `c${at}`).join(',')}`);
  expect(rest.at(-1)).toBe('');
  return rest.slice(0, -1).join('\r\n');
}

describe('cells', () => {
  const cells: [what: string, cell: string | number | boolean | null, as: string][] = [
    ['a plain text', 'gpt-4o', 'gpt-4o'],
    ['Chinese', '充值 5 元', '充值 5 元'],
    ['a comma', 'one, two', '"one, two"'],
    ['a quote', 'say "so"', '"say ""so"""'],
    ['a line break', 'one\ntwo', '"one\ntwo"'],
    ['a carriage return', 'one\rtwo', '"one\rtwo"'],
    ['a line break of Windows', 'one\r\ntwo', '"one\r\ntwo"'],
    ['a semicolon, where some spreadsheets part cells', 'one;=1+1', '"one;=1+1"'],
    ['a tab within', 'one\t=1+1', '"one\t=1+1"'],
    ['a number', 12, '12'],
    ['a number below zero', -5, '-5'],
    ['a fraction below zero', -0.000002, '-0.000002'],
    ['zero', 0, '0'],
    ['a text like a number below zero', '-5', "'-5"],
    ['a formula', '=1+1', "'=1+1"],
    ['a formula with quotes', '=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['a plus', '+1', "'+1"],
    ['a minus', "-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['an at sign', '@SUM(A1)', "'@SUM(A1)"],
    ['a leading tab', '\t=1', `"'\t=1"`],
    ['a leading carriage return', '\r=1', `"'\r=1"`],
    ['a leading line break', '\n=1', `"'\n=1"`],
    ['a wide equals sign', '＝1+1', "'＝1+1"],
    ['nothing', null, ''],
    ['an empty text', '', ''],
    ['yes', true, 'true'],
    ['no', false, 'false'],
  ];
  test.each(cells)('%s', async (_, cell, as) => {
    expect(await written('first', cell, 'last')).toBe(`first,${as},last`);
  });

  test('headings are neutralised like cells', async () => {
    let text = '';
    for await (const piece of csv([{ heading: '=1', cell: () => 1 }], [])) text += piece;
    expect(text).toBe("\uFEFF'=1\r\n");
  });
});

describe('rows', () => {
  const columns = [{ heading: 'n', cell: (n: number) => n }];

  test.each([0, 1, 98, 99, 100, 101, 1000])('%i rows arrive once and in order', async (count) => {
    let text = '';
    for await (const piece of csv(columns, Array(count).keys())) text += piece;
    expect(text).toBe(['\uFEFFn', ...Array(count).keys(), ''].join('\r\n'));
  });

  test('are requested in chunks, and no longer after the reader stops', async () => {
    let asked = 0;
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield asked++;
      } finally {
        ended = true;
      }
    }
    const pieces = csv(columns, endless());
    expect(asked).toBe(0);
    await pieces.next();
    expect(asked).toBeLessThanOrEqual(100);
    await pieces.next();
    expect(asked).toBeLessThanOrEqual(200);
    expect(ended).toBe(false);
    await pieces.return();
    expect(ended).toBe(true);
  });
});

test('times are in the requested time zone', () => {
  expect(timeWriter('')(1_770_091_445)).toBe('2026-02-03 04:04:05');
  expect(timeWriter('Asia/Shanghai')(1_770_091_445)).toBe('2026-02-03 12:04:05');
  expect(timeWriter('America/New_York')(1_770_091_445)).toBe('2026-02-02 23:04:05');
  expect(timeWriter('Asia/Shanghai')(0)).toBe('');
  expect(timeWriter('')(9_007_199_254_740_991)).toBe('9007199254740991');
});
