import { channelApi, optionApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf, post } from '#testing/relay-calls.ts';

const MODEL = 'gpt-4o';
const usage = { prompt_tokens: 1000, completion_tokens: 1000 };
/** 1000 × 1.25 + 1000 × 5 */
const COST = 6250;
const input = 'hello';

onOneDatabase('an upstream without /v1/responses', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  const paths = () => raw().requests.map(({ url }) => url);
  let who: TestCaller;
  let channel: number;
  let refusal: { status: number; body: object | string };

  const whole = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hey' }] }],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
  const replaceChannel = async (type: number) => {
    if (channel) await db().updateTable('channels').set({ deleted_time: 1 }).where('id', '=', channel).execute();
    channel = await addChannel(hub(), raw().url, { name: 'compatible', type });
  };
  const create = () => clientOf(hub(), who.key).responses.create({ model: MODEL, input });

  beforeEach(async () => {
    who = await addCaller(db());
    await replaceChannel(8);
    raw().requests.length = 0;
    refusal = { status: 404, body: { detail: 'Not Found' } };
    raw().reply = (response, body) => {
      if (raw().requests.at(-1)!.url.startsWith('/v1/responses'))
        return sendJson(response, refusal.body, refusal.status);
      const { model, stream } = JSON.parse(body.toString()) as { model: string; stream?: boolean };
      const head = { id: 'chatcmpl-1', created: 1, model };
      if (stream) {
        const chunk = { ...head, object: 'chat.completion.chunk' };
        return sendStream(response, [
          `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi!' } }] })}\n\n`,
          `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
          `data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\ndata: [DONE]\n\n`,
        ]);
      }
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi!' } }];
      return sendJson(response, { ...head, object: 'chat.completion', choices, usage });
    };
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  test.each([
    ['FastAPI’s', 404, { detail: 'Not Found' }],
    ['Go’s', 404, '404 page not found'],
    ['Python’s, with the path', 404, { error: { message: 'Not Found: /v1/responses' } }],
    ['Express’s, in JSON', 404, { message: 'Cannot POST /v1/responses' }],
    ['OpenAI’s own', 404, { error: { message: 'Invalid URL (POST /v1/responses)', type: 'x', code: null } }],
    ['a wrong method', 405, { detail: 'Method Not Allowed' }],
    ['one that is to come', 501, { error: { message: 'not implemented', code: 'not_implemented' } }],
  ])(
    'is asked in a chat after %s refusal, in the same call, and without asking after that',
    async (_, status, body) => {
      refusal = { status, body };
      // Not even one retry is needed for it.
      await hub().root.call(optionApi.set, { body: { key: 'RetryTimes', value: '0' } });
      const answer = await create();
      expect(answer).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hi!' });
      // The second of the two asks without an input whether the path exists.
      expect(paths()).toEqual(['/v1/responses', '/v1/responses', '/v1/chat/completions']);
      expect(JSON.parse(raw().requests[1]!.body.toString())).toEqual({ model: MODEL });
      expect(await rowsOf(db(), who)).toMatchObject([
        {
          quota: COST,
          failed: false,
          metadata: {
            endpoint: '/v1/responses',
            attempts: [
              { channel_id: channel, status, result: 'upstream_status', next: 'retried' },
              { channel_id: channel, status: 200, result: 'ok' },
            ],
          },
        },
      ]);
      expect(await userOf(db(), who)).toMatchObject({ used_quota: COST, request_count: 1 });

      let text = '';
      const stream = await clientOf(hub(), who.key).responses.create({ model: MODEL, input, stream: true });
      for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
      expect(text).toBe('Hi!');
      expect(paths().slice(3)).toEqual(['/v1/chat/completions']);
      expect(hub().server.deps.live.health.untroubled).toBe(true);
    },
  );

  test('is called by its operations again once the channel has changed', async () => {
    await create();
    await hub().server.deps.live.changed('routes');
    await create();
    expect(paths().filter((path) => path === '/v1/responses')).toHaveLength(4);
  });

  test('is shown as such on its channel, until an administrator wants it asked again', async () => {
    const shown = () => hub().root.call(channelApi.get, { params: { id: channel } });
    expect(await shown()).toMatchObject({ without_responses_until: 0 });
    await create();
    expect((await shown()).without_responses_until).toBeGreaterThan(Date.now() / 1000 + 3000);
    const after = await hub().root.call(channelApi.unfreeze, { params: { id: channel } });
    expect(after).toMatchObject({ without_responses_until: 0 });
    raw().requests.length = 0;
    await create();
    expect(paths()[0]).toBe('/v1/responses');
  });

  const error = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } });
  test.each([
    ['a prompt that is not there', '/v1/responses', 404, error("Prompt with id 'pmpt_nope' not found.")],
    ['a response that is not there', '/v1/responses', 404, error("Previous response with id 'resp_1' not found.")],
    ['an error that is a text', '/v1/responses', 404, { error: 'no such prompt' }],
    ['words of another server', '/v1/responses', 404, { detail: 'The prompt was not found' }],
    ['a request that it does not understand', '/v1/responses', 400, error('Invalid URL')],
    ['a path below', '/v1/responses/compact', 404, { detail: 'Not Found' }],
  ])('is not concluded from %s', async (_, path, status, body) => {
    if (path !== '/v1/responses') await replaceChannel(1);
    refusal = { status, body };
    const answer = await post(hub(), who.key, { model: MODEL, input }, path);
    expect(answer.status).toBe(status);
    expect(paths()).toEqual([path]);
    hub().server.deps.live.absolve(channel);
    refusal = { status: 200, body: whole };
    expect(await create()).toMatchObject({ output_text: 'Hey' });
    expect(paths().slice(1)).toEqual(['/v1/responses']);
  });

  test('is not concluded from a path that is there for a request without an input', async () => {
    let asked = 0;
    raw().reply = (response) =>
      asked++ === 0 ? sendJson(response, {}, 404) : sendJson(response, error('no input'), 400);
    await expect(create()).rejects.toMatchObject({ status: 404 });
    expect(paths()).toEqual(['/v1/responses', '/v1/responses']);
    expect(await hub().root.call(channelApi.get, { params: { id: channel } })).toMatchObject({
      without_responses_until: 0,
    });
    hub().server.deps.live.absolve(channel);
  });

  test('a model that it does not know is another matter', async () => {
    refusal = { status: 404, body: { error: { message: `No model ${MODEL}`, type: 'x', code: 'model_not_found' } } };
    await expect(create()).rejects.toMatchObject({ status: 404 });
    expect(paths()).toEqual(['/v1/responses']);
    hub().server.deps.live.health.forget(channel);
  });

  const only = 'This model is only supported in v1/responses and not in v1/chat/completions.';
  const messages = [{ role: 'user', content: 'hi' }];
  const gemini = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  test.each([
    ['/v1/chat/completions', { model: MODEL, messages }],
    ['/v1/messages', { model: MODEL, max_tokens: 9, messages }],
    [`/gemini/v1beta/models/${MODEL}:generateContent`, gemini],
  ])('a model that speaks Responses only serves %s by them, at once after the first call', async (path, body) => {
    raw().reply = (response) =>
      raw().requests.at(-1)!.url === '/v1/responses'
        ? sendJson(response, whole)
        : sendJson(response, { error: { message: only, param: 'model' } }, 404);
    for (const _ of [1, 2]) {
      const answer = await post(hub(), who.key, body, path);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Hey')]);
    }
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/responses']);
    expect(hub().server.deps.live.health.untroubled).toBe(true);
  });

  test('a request that needs Responses at a model of both is sent to them, and later ones to chats', async () => {
    const needs =
      'Function tools with reasoning_effort are not supported in /v1/chat/completions. Use /v1/responses instead.';
    raw().reply = (response, body) => {
      if (raw().requests.at(-1)!.url === '/v1/responses') return sendJson(response, whole);
      if (body.includes('tools')) return sendJson(response, { error: { message: needs } }, 400);
      const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi!' } }];
      return sendJson(response, { id: 'c', object: 'chat.completion', created: 1, model: MODEL, choices, usage });
    };
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
    expect((await post(hub(), who.key, { model: MODEL, messages, tools })).text).toContain('Hey');
    expect((await post(hub(), who.key, { model: MODEL, messages })).text).toContain('Hi!');
    expect(paths()).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/chat/completions']);
  });

  test('an upstream that has neither is asked once for each', async () => {
    raw().reply = (response) =>
      raw().requests.at(-1)!.url === '/v1/responses'
        ? sendJson(response, { detail: 'Not Found' }, 404)
        : sendJson(response, { error: { message: only, param: 'model' } }, 404);
    await expect(create()).rejects.toMatchObject({ status: 404 });
    expect(paths()).toEqual(['/v1/responses', '/v1/responses', '/v1/chat/completions']);
    hub().server.deps.live.absolve(channel);
  });
});
