import { expect, test } from 'vitest';
import { estimateTokens } from '#quota/estimate.ts';
import { openAiChat } from '#usage/open-ai-chat.ts';
import { errorIn, readReply } from './json-reply.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } };
const read = (json: unknown) =>
  readReply(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), openAiChat);
const choice = (message: unknown, finish_reason: unknown = 'stop') => ({
  choices: [{ index: 0, message, finish_reason }],
});
const LARGE = 'x'.repeat(300 * 1024);

test('usage, end and text of an answer', () => {
  const reply = read({ ...choice({ role: 'assistant', content: 'Hello' }), usage });
  expect(reply).toMatchObject({ usage, finishReason: 'stop', error: undefined, isComplete: true });
  expect(reply.text()).toBe('Hello');
});

test('the text is content, reasoning and tool calls of every choice', () => {
  const calls = [{ function: { name: 'f', arguments: '{"a":1}' } }];
  const reply = read({
    choices: [
      { message: { reasoning_content: 'hm', content: 'a' } },
      { message: { content: null, tool_calls: calls } },
    ],
  });
  expect(reply.text()).toBe(`ahm${JSON.stringify(calls)}`);
});

test('the text is also in lists, refusals and calls of old', () => {
  const called = { name: 'f', arguments: '{}' };
  const said = [
    { content: [{ type: 'text', text: 'a' }] },
    { refusal: 'b', tool_calls: [] },
    { function_call: called },
  ];
  const reply = read({ choices: said.map((message) => ({ message })) });
  expect(reply.text()).toBe(`ab${JSON.stringify(called)}`);
});

test.each([
  ['choices that are null', { choices: null }],
  ['a choice that is null', { choices: [null, 5] }],
  ['a message that is null', choice(null)],
  ['an end that is a number', choice({}, 7)],
])('%s breaks nothing', (_, json) => {
  const reply = read(json);
  expect(reply).toMatchObject({ isComplete: true, error: undefined });
  expect(reply.text()).toBe('');
  expect(typeof reply.finishReason === 'string' || reply.finishReason === undefined).toBe(true);
});

test.each(['', '{"a":1', '[]', '"text"', '5', 'null', '<html></html>', '\uFEFF{}'])('%j is no whole answer', (text) => {
  expect(read(text).isComplete).toBe(false);
});

test('an error that came with a success status is found', () => {
  expect(read({ error: { message: 'no' } }).error).toBe('no');
  expect(read({ error: null, ...choice({ content: '' }) }).error).toBeUndefined();
});

test.each([
  [{ error: { message: 'no' } }, 'no'],
  [{ error: 'no' }, 'no'],
  [{ error: {} }, 'error'],
  [{ error: { message: 5 } }, 'error'],
  [{ error: '' }, undefined],
  [{ error: null }, undefined],
  [{ error: false }, undefined],
  [{}, undefined],
])('the error of %j is %j', (json, error) => {
  expect(errorIn(json)).toBe(error);
});

test('of a large answer only the usage is read', () => {
  const content = `${LARGE}"usage":{"prompt_tokens":99}`;
  expect(read({ ...choice({ content }), usage })).toMatchObject({ usage, isComplete: true });
  expect(read(`${JSON.stringify({ ...choice({ content }), usage, tail: 'usage' })}\n`)).toMatchObject({
    usage,
    isComplete: true,
  });
  expect(read({ usage, data: [{ embedding: LARGE }] })).toMatchObject({ usage, isComplete: true });
  expect(read(JSON.stringify({ ...choice({ content: LARGE }), usage }).slice(0, -5)).isComplete).toBe(false);
});

test('a large answer without usage still has a text to estimate; one of numbers has none', () => {
  expect(estimateTokens(read(choice({ content: LARGE })).text())).toBeGreaterThan(70_000);
  expect(read({ ...choice({ content: LARGE }), usage: null })).toMatchObject({ usage: undefined, isComplete: true });
  expect(read({ data: [{ embedding: LARGE }] }).text()).toBe('');
});
