import type OpenAI from 'openai';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, hello, post } from '#testing/relay-calls.ts';

const text = 'The sky scatters blue light, which is why it is blue.';
const chat = {
  id: 'chatcmpl-7',
  object: 'chat.completion',
  big: 12_345,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
};
const told = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-7', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const streamed = [chunk({ role: 'assistant', content: text }), chunk({}, 'stop')];
const DONE = 'data: [DONE]\n\n';

onOneDatabase('an upstream that reports no usage', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-3.5-turbo-instruct' });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
  });
  /** The tokens that the one call was charged. */
  const charged = async () => {
    const [row] = await rowsOf(hub().server.deps.db, who);
    return { prompt_tokens: row!.prompt_tokens, completion_tokens: row!.completion_tokens };
  };

  test.each([
    ['left out', chat],
    ['null', { ...chat, usage: null }],
    ['of another shape', { ...chat, usage: {} }],
  ])('has what is charged in its JSON, where it is %s', async (_, reply) => {
    upstream().reply = (response) => sendJson(response, reply);
    const { usage, ...rest } = await clientOf(hub(), who.key).chat.completions.create(hello);
    expect(rest).toMatchObject(chat);
    expect(usage!.completion_tokens).toBeGreaterThan(8);
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
    expect(usage).toMatchObject(await charged());
  });

  test('has it in older completions too', async () => {
    const choices = [{ index: 0, text, finish_reason: 'stop' }];
    upstream().reply = (response) => sendJson(response, { id: 'c', object: 'text_completion', choices });
    const request = { model: 'gpt-3.5-turbo-instruct', prompt: 'Why?' };
    const { usage } = await clientOf(hub(), who.key).completions.create(request);
    expect(usage).toMatchObject(await charged());
  });

  test('has it before the end of a stream whose caller asks for it', async () => {
    upstream().reply = (response) => sendStream(response, [...streamed, DONE]);
    const stream = await clientOf(hub(), who.key).chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const one of stream) chunks.push(one);
    expect(chunks).toHaveLength(3);
    expect(chunks[2]).toMatchObject({
      id: 'chatcmpl-7',
      object: 'chat.completion.chunk',
      model: 'gpt-4o',
      choices: [],
    });
    expect(chunks[2]!.usage).toMatchObject(await charged());
  });

  test.each<[string, object, string[], string]>([
    ['whose caller does not ask', {}, [...streamed, DONE], streamed.join('') + DONE],
    [
      'that has its own',
      { stream_options: { include_usage: true } },
      [...streamed, chunk({}, null, { choices: [], usage: told }), DONE],
      streamed.join('') + chunk({}, null, { choices: [], usage: told }) + DONE,
    ],
  ])('adds nothing to a stream %s', async (_, more, pieces, whole) => {
    upstream().reply = (response) => sendStream(response, pieces);
    const answer = await post(hub(), who.key, { ...hello, stream: true, ...more });
    expect(answer.text).toBe(whole);
  });

  test('adds nothing to a stream that breaks', async () => {
    upstream().reply = (response) => sendStream(response, streamed.slice(0, 1), 'cut');
    const request = { ...hello, stream: true, stream_options: { include_usage: true } };
    expect((await post(hub(), who.key, request)).text).not.toContain('"usage"');
  });
});
