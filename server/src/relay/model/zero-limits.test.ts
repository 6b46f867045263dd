import { beforeAll, beforeEach, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const chat = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage,
};
const completion = { object: 'text_completion', choices: [{ index: 0, text: 'hi', finish_reason: 'stop' }], usage };
const images = { created: 1, data: [{ b64_json: 'aGk=' }] };
const message = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};

onOneDatabase('limits of 0', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,gpt-3.5-turbo-instruct,dall-e-2' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o-mini', type: 14 });
  });
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
    upstream().requests.length = 0;
  });
  const sent = () => JSON.parse(upstream().requests.at(-1)!.body.toString()) as object;

  test.each<[string, object, object]>([
    ['/v1/chat/completions', hello, chat],
    ['/v1/completions', { model: 'gpt-3.5-turbo-instruct', prompt: 'Once' }, completion],
    ['/v1/images/generations', { model: 'dall-e-2', prompt: 'a cat' }, images],
  ])('are absent on %s', async (path, request, reply) => {
    upstream().reply = (response) => sendJson(response, reply);
    const zeros = { max_tokens: 0, max_completion_tokens: 0, n: 0 };
    expect(await post(hub(), who.key, { ...request, ...zeros, temperature: 0 }, path)).toMatchObject({
      status: 200,
    });
    expect(sent()).toEqual({ ...request, temperature: 0 });
  });

  test('are absent where the request is converted', async () => {
    upstream().reply = (response) => sendJson(response, message);
    const request = { ...hello, model: 'gpt-4o-mini', max_tokens: 0 };
    expect(await post(hub(), who.key, request)).toMatchObject({ status: 200 });
    expect(sent()).toMatchObject({ max_tokens: expect.toSatisfy((most: number) => most > 1000) });
  });

  test.each([{ max_tokens: -1 }, { n: -1 }, { n: '0' }])('%j is refused', async (limit) => {
    expect(await post(hub(), who.key, { ...hello, ...limit })).toMatchObject({ status: 400 });
    expect(upstream().requests).toEqual([]);
  });
});
