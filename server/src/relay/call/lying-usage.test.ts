import { channelApi, logApi, priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const asked = 'hello';
const says = 'Hello.';
const LIE = 1_000_000;

/** A dialect: its request, and an upstream's reply with given usage. */
interface Dialect {
  type: number;
  path: string;
  model: string;
  body(limit: number | undefined): object;
  reply(input: number, output: number): object;
  events(input: number, output: number): string;
}

const sse = (...events: object[]): string =>
  events
    .map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');

const dialects: Record<string, Dialect> = {
  chat: {
    type: 1,
    path: '/v1/chat/completions',
    model: 'gpt-4o-mini',
    body: (max_tokens) => ({ model: 'gpt-4o-mini', max_tokens, messages: [{ role: 'user', content: asked }] }),
    reply: (prompt_tokens, completion_tokens) => ({
      choices: [{ index: 0, message: { role: 'assistant', content: says }, finish_reason: 'stop' }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    }),
    events: (prompt_tokens, completion_tokens) =>
      sse(
        { choices: [{ index: 0, delta: { content: says } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { choices: [], usage: { prompt_tokens, completion_tokens } },
      ) + 'data: [DONE]\n\n',
  },
  completions: {
    type: 1,
    path: '/v1/completions',
    model: 'gpt-3.5-turbo-instruct',
    body: (max_tokens) => ({ model: 'gpt-3.5-turbo-instruct', max_tokens, prompt: asked }),
    reply: (prompt_tokens, completion_tokens) => ({
      choices: [{ index: 0, text: says, finish_reason: 'stop' }],
      usage: { prompt_tokens, completion_tokens },
    }),
    events: (prompt_tokens, completion_tokens) =>
      sse(
        { choices: [{ index: 0, text: says, finish_reason: 'stop' }] },
        { choices: [], usage: { prompt_tokens, completion_tokens } },
      ) + 'data: [DONE]\n\n',
  },
  responses: {
    type: 1,
    path: '/v1/responses',
    model: 'gpt-4.1-mini',
    body: (max_output_tokens) => ({ model: 'gpt-4.1-mini', max_output_tokens, input: asked }),
    reply: (input_tokens, output_tokens) => ({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: says }] }],
      usage: { input_tokens, output_tokens },
    }),
    events: (input_tokens, output_tokens) =>
      sse(
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
        { type: 'response.output_text.delta', output_index: 0, delta: says },
        { type: 'response.completed', response: { status: 'completed', usage: { input_tokens, output_tokens } } },
      ),
  },
  messages: {
    type: 14,
    path: '/v1/messages',
    model: 'claude-3-haiku-20240307',
    body: (max_tokens = 4096) => ({
      model: 'claude-3-haiku-20240307',
      max_tokens,
      messages: [{ role: 'user', content: asked }],
    }),
    reply: (input_tokens, output_tokens) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: says }],
      stop_reason: 'end_turn',
      usage: { input_tokens, output_tokens },
    }),
    events: (input_tokens, output_tokens) =>
      sse(
        { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: says } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens } },
        { type: 'message_stop' },
      ),
  },
  gemini: {
    type: 25,
    path: '/gemini/v1beta/models/gemini-2.0-flash:generateContent',
    model: 'gemini-2.0-flash',
    body: (maxOutputTokens) => ({
      contents: [{ role: 'user', parts: [{ text: asked }] }],
      ...(maxOutputTokens !== undefined && { generationConfig: { maxOutputTokens } }),
    }),
    reply: (promptTokenCount, candidatesTokenCount) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: says }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount, candidatesTokenCount },
    }),
    events: (promptTokenCount, candidatesTokenCount) =>
      sse({
        candidates: [{ content: { role: 'model', parts: [{ text: says }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount, candidatesTokenCount },
      }),
  },
};
const names = Object.keys(dialects);

onOneDatabase('usage that cannot be', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  const channels: Record<string, number> = {};

  beforeAll(async () => {
    for (const model of ['gemini-2.0-flash', 'made-up', 'rerank-v3.5']) {
      const price = { type: 'tokens', channel_type: 1, input: 0.01, output: 0.01 } as const;
      await hub().root.call(priceApi.create, { body: { model, ...price } });
    }
    const images = { model: 'gpt-image-1', type: 'tokens', channel_type: 1, input: 0.01, output: 0.01 } as const;
    await hub().root.call(priceApi.update, { params: { model: images.model }, body: images });
    for (const [name, { type, model }] of Object.entries(dialects))
      channels[name] = await addChannel(hub(), raw().url, { type, name, models: model });
    await addChannel(hub(), raw().url, { models: 'made-up,text-embedding-3-small,dall-e-2,gpt-image-1,rerank-v3.5' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const lastRow = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)!;

  /** Calls in a dialect with given upstream usage; returns the call's row. */
  async function called(name: string, streams: boolean, input: number, output: number, limit?: number) {
    const { path, body, reply, events } = dialects[name]!;
    raw().reply = (response) =>
      streams ? sendStream(response, [events(input, output)]) : sendJson(response, reply(input, output));
    const who = await addCaller(db());
    const address = streams && name === 'gemini' ? `${path.replace(':g', ':streamG')}?alt=sse` : path;
    const asks = { ...body(limit), ...(streams && name !== 'gemini' && { stream: true }) };
    const answer = await post(hub(), who.key, asks, address);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(says)]);
    return lastRow(who);
  }

  describe.each(names)('%s', (name) => {
    test.each([false, true])(
      'output beyond the caller’s limit is charged as the limit (stream: %s)',
      async (streams) => {
        const row = await called(name, streams, 9, LIE, 10);
        expect(row).toMatchObject({
          prompt_tokens: 9,
          completion_tokens: 10,
          metadata: {
            outcome: 'answered',
            usage_source: 'upstream',
            usage_mark: 'implausible',
            usage_findings: [{ counter: 'output', reported: LIE, most: 10, charged: 10, bound: 'limit' }],
          },
        });
      },
    );

    test.each([false, true])('of plain text no more is charged than came (stream: %s)', async (streams) => {
      const row = await called(name, streams, 9, LIE);
      expect(row.completion_tokens).toBeLessThan(2500);
      expect(row).toMatchObject({
        prompt_tokens: 9,
        metadata: { usage_mark: 'implausible', usage_findings: [{ counter: 'output', bound: 'received' }] },
      });
    });

    test('input beyond what was sent is charged as that, with room for hidden prompts', async () => {
      const row = await called(name, false, LIE, 3, 10);
      expect(row.prompt_tokens).toBeLessThan(33_500);
      expect(row.metadata).toMatchObject({
        usage_mark: 'implausible',
        usage_findings: [{ counter: 'input', reported: LIE, most: row.prompt_tokens }],
      });
    });

    test.each([false, true])('what can be is charged as reported, and not marked (stream: %s)', async (streams) => {
      const row = await called(name, streams, 1500, 9, 10);
      expect(row).toMatchObject({ prompt_tokens: 1500, completion_tokens: 9 });
      expect(row.metadata).not.toHaveProperty('usage_mark');
    });
  });

  test('a lie in another dialect than the caller’s is found as well', async () => {
    raw().reply = (response) => sendJson(response, dialects['messages']!.reply(9, LIE));
    const who = await addCaller(db());
    await post(hub(), who.key, { ...hello, model: 'claude-sonnet-4-5', max_tokens: 10 });
    expect(await lastRow(who)).toMatchObject({ completion_tokens: 10, metadata: { usage_mark: 'implausible' } });
  });

  test('a stream that breaks off after a lie is charged within the bound', async () => {
    const { events, body, path } = dialects['messages']!;
    const whole = events(9, LIE);
    raw().reply = (response) => sendStream(response, [whole.slice(0, whole.indexOf('event: message_stop'))], 'cut');
    const who = await addCaller(db());
    await post(hub(), who.key, { ...body(10), stream: true }, path);
    expect(await lastRow(who)).toMatchObject({
      completion_tokens: 10,
      metadata: { outcome: 'broken', usage_mark: 'implausible' },
    });
  });

  test('usage that is possible but far from what is visible is charged and marked as unusual', async () => {
    const { reply } = dialects['chat']!;
    raw().reply = (response) => sendJson(response, reply(9, 90_000));
    const who = await addCaller(db());
    await post(hub(), who.key, { ...hello, model: 'made-up', max_tokens: 100_000 });
    expect(await lastRow(who)).toMatchObject({
      completion_tokens: 90_000,
      metadata: { usage_mark: 'unusual', usage_findings: [{ counter: 'output', charged: 90_000, bound: 'seen' }] },
    });
    expect(hub().server.deps.meter.doubts.unusual).toBeGreaterThan(0);
  });

  test('the operator reads it at the channel, until it is cleared, and the caller in the own log', async () => {
    const id = channels['chat']!;
    const { requestId } = await rowFor();
    await hub().server.deps.usageWatch.settled();
    const finding = { counter: 'output', reported: LIE, most: 10, charged: 10, bound: 'limit' };
    const { root } = hub();
    const warning = { ...finding, model: 'gpt-4o-mini', request_id: requestId, time: expect.any(Number) };
    expect((await root.call(channelApi.get, { params: { id } })).usage_warning).toEqual(warning);
    const listed = (await root.call(channelApi.list, { query: { page: 1, size: 50 } })).data;
    expect(listed.find((one) => one.id === id)?.usage_warning).toEqual(warning);
    const csv = await root.download(logApi.download, { query: { request_id: requestId, language: 'en-US' } });
    expect(csv).toMatch(/Usage check[\s\S]*Implausible/);
    expect((await root.call(channelApi.clearUsageWarning, { params: { id } })).usage_warning).toBeNull();
    expect((await root.call(channelApi.get, { params: { id } })).usage_warning).toBeNull();
  });

  async function rowFor() {
    raw().reply = (response) => sendJson(response, dialects['chat']!.reply(9, LIE));
    const who = await addCaller(db());
    return post(hub(), who.key, dialects['chat']!.body(10), '/v1/chat/completions');
  }

  describe('operations other than chat', () => {
    test('embeddings: no more input than was sent', async () => {
      const data = [{ object: 'embedding', index: 0, embedding: [0.5] }];
      raw().reply = (response) => sendJson(response, { data, usage: { prompt_tokens: LIE, total_tokens: LIE } });
      const who = await addCaller(db());
      await post(hub(), who.key, { model: 'text-embedding-3-small', input: 'x' }, '/v1/embeddings');
      const row = await lastRow(who);
      expect(row.prompt_tokens).toBeLessThan(132_000);
      expect(row.metadata).toMatchObject({ usage_mark: 'implausible' });
    });

    test('more images than were asked for: charged as asked, and marked', async () => {
      const data = Array.from({ length: 50 }, (_, i) => ({ url: `https://pictures.example/${i}.png` }));
      raw().reply = (response) => sendJson(response, { created: 1, data });
      const who = await addCaller(db());
      await post(hub(), who.key, { model: 'dall-e-2', prompt: 'x', n: 2, size: '256x256' }, '/v1/images/generations');
      expect(await lastRow(who)).toMatchObject({
        prompt_tokens: 2000,
        metadata: {
          units: 2,
          usage_mark: 'implausible',
          usage_findings: [{ counter: 'images', reported: 50, charged: 2, bound: 'images_asked' }],
        },
      });
    });

    test('images by tokens: within what a model can count for them', async () => {
      const usage = { input_tokens: 9, output_tokens: 10_000_000 };
      raw().reply = (response) => sendJson(response, { created: 1, data: [{ b64_json: 'aW1n' }], usage });
      const who = await addCaller(db());
      await post(hub(), who.key, { model: 'gpt-image-1', prompt: 'x' }, '/v1/images/generations');
      expect(await lastRow(who)).toMatchObject({
        completion_tokens: 131_072,
        metadata: { usage_mark: 'implausible', usage_findings: [{ bound: 'images_asked' }] },
      });
    });
  });
});
