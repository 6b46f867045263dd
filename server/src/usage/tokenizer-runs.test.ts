import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutLongRuns } from './tokenizer-runs.ts';

test.each([
  ['nothing', ''],
  ['a sentence', 'The quick brown fox, it jumps.'],
  ['Chinese with marks', '人工智能正在改变我们的生活方式。'.repeat(50)],
  ['a word of 256 letters', 'a'.repeat(256)],
])('%s stays in one piece', (_, text) => {
  expect(cutLongRuns(text)).toEqual([text]);
});

test('a run of 600 is cut in three', () => {
  expect(cutLongRuns(`b ${'a'.repeat(600)} c`).map((piece) => piece.length)).toEqual([258, 256, 90]);
});

test('a character of two halves is not cut in two', () => {
  const text = `a${'👋'.repeat(300)}`;
  const pieces = cutLongRuns(text);
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces) expect(piece.isWellFormed()).toBe(true);
});

const runsOf = (...characters: string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...characters), fc.nat(900)), { maxLength: 8 })
    .map((parts) => parts.map(([one, times]) => one.repeat(times)).join(''));

test('pieces are the text, and no run in one is longer than 256', () => {
  fc.assert(
    fc.property(
      fc.oneof(runsOf('a', ' ', '!', '\n', '世', 'é', '1', '\u0301', '👋', '\ud800', '\u3000'), fc.string()),
      (text) => {
        const pieces = cutLongRuns(text);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(piece).not.toMatch(/[\p{L}\p{M}]{257}|\s{257}|[^\p{L}\p{M}\s]{257}/u);
      },
    ),
  );
});
