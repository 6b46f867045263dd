import { optionApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { clientOf } from '#testing/relay-calls.ts';

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

  const create = () => clientOf(hub(), who.key).responses.create({ model: MODEL, input });

  beforeEach(async () => {
    who = await addCaller(db());
    if (channel) await db().updateTable('channels').set({ deleted_time: 1 }).where('id', '=', channel).execute();
    channel = await addChannel(hub(), raw().url, { name: 'compatible' });
    raw().requests.length = 0;
    refusal = { status: 404, body: { detail: 'Not Found' } };
    raw().reply = (response, body) => {
      if (raw().requests.at(-1)!.url === '/v1/responses') return sendJson(response, refusal.body, refusal.status);
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
      expect(paths()).toEqual(['/v1/responses', '/v1/chat/completions']);
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
      expect(paths().slice(2)).toEqual(['/v1/chat/completions']);
      expect(hub().server.deps.live.health.untroubled).toBe(true);
    },
  );

  test('is called by its operations again once the channel has changed', async () => {
    await create();
    await hub().server.deps.live.changed('routes');
    await create();
    expect(paths().filter((path) => path === '/v1/responses')).toHaveLength(2);
  });

  test('a model that it does not know is another matter', async () => {
    refusal = { status: 404, body: { error: { message: `No model ${MODEL}`, type: 'x', code: 'model_not_found' } } };
    await expect(create()).rejects.toMatchObject({ status: 404 });
    expect(paths()).toEqual(['/v1/responses']);
    hub().server.deps.live.health.forget(channel);
  });
});
