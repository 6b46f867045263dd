import { expect, test } from 'vitest';
import { cutMiddle } from './cut-middle.ts';

const perLetter = (text: string) => Array.from(text).length * 8;

test.each([
  ['openai-us-west-2-production-overflow', 160, 'openai-us…n-overflow'],
  // No space before the ellipsis.
  ['the names of the team, production-eu', 96 + 16, 'the…duction-eu'],
  // Too narrow for a beginning: the end stays.
  ['openai-us-west-2-production-overflow', 40, '…n-overflow'],
  // Characters of several code units stay whole.
  ['😀😀😀😀😀😀😀😀-key', 72, '😀😀😀😀…-key'],
])('%s in %s pixels is %s', (text, width, cut) => {
  expect(cutMiddle(text, width, text.includes('-key') ? 4 : 10, perLetter)).toBe(cut);
});
