import { expect, test } from 'vitest';
import { parseCompletion } from './open-ai-content.ts';
import { parseChat } from './open-ai.ts';

const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };
const unread = (): never => expect.unreachable();
const TOLD = 'it must be a whole number from 1 to 1073741823';

test.each([0, -1, 1.5, 2 ** 30, '5'])('a limit of %s is refused with the allowed range', (limit) => {
  expect(() => parseChat({ ...chat, max_tokens: limit }, unread)).toThrow(TOLD);
  expect(() => parseChat({ ...chat, max_completion_tokens: limit }, unread)).toThrow(TOLD);
  expect(() => parseCompletion({ model: 'gpt-4o', prompt: 'hi', max_tokens: limit })).toThrow(TOLD);
});

test.each([1, 2 ** 30 - 1])('a limit of %i is one', (limit) => {
  expect(parseChat({ ...chat, max_tokens: limit }, unread)).toMatchObject({ model: 'gpt-4o' });
});
