import { expect, test } from 'vitest';
import { estimateTokens, tokensOf } from './estimate.ts';

const english =
  'The quick brown fox jumps over the lazy dog. It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness.';
const chinese = '人工智能正在改变我们的生活方式。请把下面这段文字翻译成英文，并解释其中的关键概念。';
const code = 'export function add(a: number, b: number): number {\n  const sum = a + b;\n  return sum;\n}\n';

// Typical results of tokenizers: a token per short word or mark in English, half a token to one token per Chinese
// character, and in code a token for each word and for most marks.
test.each([
  ['English', english, 33, 45],
  ['Chinese', chinese, chinese.length / 2, chinese.length],
  ['code', code, 20, 36],
])('%s: within reason', (_, text, least, most) => {
  const estimate = estimateTokens(text);
  expect(estimate).toBeGreaterThanOrEqual(least);
  expect(estimate).toBeLessThanOrEqual(most);
});

test('an empty text has no tokens, any other at least one', () => {
  expect(estimateTokens('')).toBe(0);
  for (const text of ['a', ' ', '世', '👋', 'é', '\u0000']) expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
});

test('a longer text never has fewer', () => {
  let text = '';
  let before = 0;
  for (const letter of 'aé世👋 z\n'.repeat(20)) {
    text += letter;
    const now = estimateTokens(text);
    expect(now).toBeGreaterThanOrEqual(before);
    before = now;
  }
});

test('a run of one character, on which tokenizers are quadratic, costs no more than its length', () => {
  expect(estimateTokens('a'.repeat(10_000_000))).toBe(tokensOf(10_000_000, 0));
});
