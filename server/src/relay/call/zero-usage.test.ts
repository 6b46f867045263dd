import { request } from 'node:http';
import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const says = 'A sentence of about ten words, which nobody may have for nothing.';
const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const tool = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Paris, the one in France"}' },
};

const sse = (...events: object[]): string =>
  events
    .map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');
const choice = (message: object) => ({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
const delta = (piece: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: piece, finish_reason }],
});
const candidate = (text: string, usageMetadata: object, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
  usageMetadata,
});
const begin = { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } };
const open = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const piece = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

onOneDatabase('output reported as zero', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;

  beforeAll(async () => {
    for (const model of ['g', 'c', 'r'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 1, output: 1 } });
    await addChannel(hub(), raw().url, { type: 1, models: 'gpt-4o,r' });
    await addChannel(hub(), raw().url, { type: 14, models: 'c' });
    await addChannel(hub(), raw().url, { type: 25, models: 'g' });
    await addChannel(hub(), raw().url, { type: 1, models: 'gpt-4.1,omni-moderation-latest', on_client_gone: 'abort' });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-3-haiku-20240307', on_client_gone: 'abort' });
    await addChannel(hub(), raw().url, { type: 25, models: 'gemini-2.5-flash', on_client_gone: 'abort' });
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const lastRow = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)!;
  async function answered(body: object, path?: string) {
    const who = await addCaller(db());
    const answer = await post(hub(), who.key, body, path);
    return { answer, row: await lastRow(who) };
  }
  const isEstimate = (row: { completion_tokens: number; metadata: unknown }) => {
    expect(row.metadata).toMatchObject({ usage_source: 'estimate' });
    expect(row.completion_tokens).toBeGreaterThan(8);
    expect(row.completion_tokens).toBeLessThan(40);
  };
  const chat = (stream: boolean, model = 'gpt-4o') => ({ ...hello, model, stream });

  describe('a telling of 0 where something came is none', () => {
    test.each<[string, object]>([
      ['text', { content: says }],
      ['reasoning', { content: '', reasoning_content: says }],
      ['tool arguments', { content: null, tool_calls: [tool] }],
      ['a refusal', { content: null, refusal: says }],
    ])('%s', async (_, message) => {
      raw().reply = (response) => sendJson(response, { ...choice(message), usage: zeros });
      const { row } = await answered(chat(false));
      isEstimate(row);
      expect(row.prompt_tokens).toBeGreaterThan(0);
    });

    test('of a long answer too', async () => {
      raw().reply = (response) => sendJson(response, { ...choice({ content: 'word '.repeat(80_000) }), usage: zeros });
      const { row } = await answered(chat(false));
      expect(row.completion_tokens).toBeGreaterThan(60_000);
    });

    test('reported prompt tokens are believed', async () => {
      raw().reply = (response) =>
        sendJson(response, { ...choice({ content: says }), usage: { prompt_tokens: 123, completion_tokens: 0 } });
      const { row } = await answered(chat(false));
      isEstimate(row);
      expect(row.prompt_tokens).toBe(123);
    });

    test('in a stream', async () => {
      const events = sse(delta({ content: says }), delta({}, 'stop'), { choices: [], usage: zeros });
      raw().reply = (response) => sendStream(response, [events, 'data: [DONE]\n\n']);
      isEstimate((await answered(chat(true))).row);
    });

    test('in other dialects, with the charged usage in the reply', async () => {
      raw().reply = (response) =>
        sendJson(response, {
          content: [{ type: 'text', text: says }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 0, output_tokens: 0 },
        });
      isEstimate((await answered(chat(false, 'c'))).row);
      raw().reply = (response) =>
        sendStream(response, [sse(candidate(says, { promptTokenCount: 9 }, { finishReason: 'STOP' }))]);
      const { answer, row } = await answered({ ...chat(true, 'g'), stream_options: { include_usage: true } });
      isEstimate(row);
      expect(answer.text).toContain(`"completion_tokens":${row.completion_tokens}`);
    });

    test('where nothing came, zero is a value', async () => {
      raw().reply = (response) => sendJson(response, { ...choice({ content: '' }), usage: zeros });
      expect((await answered(chat(false))).row).toMatchObject({
        prompt_tokens: 0,
        completion_tokens: 0,
        metadata: { outcome: 'answered', usage_source: 'upstream' },
      });
      raw().reply = (response) =>
        sendStream(response, [
          sse(delta({}, 'stop'), { choices: [], usage: { ...zeros, prompt_tokens: 7 } }),
          'data: [DONE]\n\n',
        ]);
      expect((await answered(chat(true))).row).toMatchObject({
        prompt_tokens: 7,
        completion_tokens: 0,
        metadata: { usage_source: 'upstream' },
      });
    });
  });

  /** Streams that stop in the middle: the endpoint, and the chunks as they arrive. */
  const cuts: [string, object, string, string[]][] = [
    [
      'text in the same read as the start of a message, converted',
      chat(true, 'c'),
      '/v1/chat/completions',
      [sse(begin, open, piece(says))],
    ],
    [
      'the same, passed on',
      { model: 'c', max_tokens: 99, stream: true, messages: hello.messages },
      '/v1/messages',
      [sse(begin, open, piece(says))],
    ],
    [
      'Gemini’s early pieces, converted',
      chat(true, 'g'),
      '/v1/chat/completions',
      [sse(candidate(says, { promptTokenCount: 9 }))],
    ],
    [
      'the same, passed on',
      { contents: [{ parts: [{ text: 'hello' }] }] },
      '/gemini/v1beta/models/g:streamGenerateContent?alt=sse',
      [sse(candidate(says, { promptTokenCount: 9 }))],
    ],
    [
      'the same as a list',
      { contents: [{ parts: [{ text: 'hello' }] }] },
      '/gemini/v1beta/models/g:streamGenerateContent',
      [sse(candidate(says, { promptTokenCount: 9 }))],
    ],
    [
      'Gemini’s pieces after a count',
      chat(true, 'g'),
      '/v1/chat/completions',
      [sse(candidate('A', { promptTokenCount: 9, candidatesTokenCount: 1 }), candidate(says, { promptTokenCount: 9 }))],
    ],
    [
      'Chat Completions, with the text behind the count in one read',
      chat(true),
      '/v1/chat/completions',
      [
        sse(
          { ...delta({ content: 'A' }), usage: { prompt_tokens: 9, completion_tokens: 1 } },
          delta({ content: says }),
        ),
      ],
    ],
    [
      'Responses',
      { model: 'r', input: 'hello', stream: true },
      '/v1/responses',
      [
        sse(
          { type: 'response.created', response: { id: 'r' } },
          { type: 'response.output_text.delta', output_index: 0, delta: says },
        ),
      ],
    ],
  ];

  test.each(cuts)('a stream that breaks off is charged for what was delivered: %s', async (_, body, path, pieces) => {
    raw().reply = (response) => sendStream(response, pieces, 'cut');
    const { answer, row } = await answered(body, path);
    expect(answer.text).toContain(says);
    isEstimate(row);
    expect(row.metadata).toMatchObject({ outcome: 'broken' });
  });

  test.each<[string, object, string, string]>([
    ['Messages', { ...chat(true, 'claude-3-haiku-20240307') }, '/v1/chat/completions', sse(begin, open, piece(says))],
    ['Gemini', chat(true, 'gemini-2.5-flash'), '/v1/chat/completions', sse(candidate(says, { promptTokenCount: 9 }))],
    [
      'Chat Completions',
      chat(true, 'gpt-4.1'),
      '/v1/chat/completions',
      sse({ ...delta({ content: says }), usage: zeros }),
    ],
  ])('so is one that its caller abandons, where that ends it: %s', async (_, body, path, events) => {
    raw().reply = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events);
      await new Promise((resolve) => response.once('close', resolve));
    };
    const who = await addCaller(db());
    const outgoing = request(hub().url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
    });
    outgoing.on('error', () => {});
    outgoing.on('response', (response) => {
      response.on('error', () => {});
      response.once('data', () => outgoing.destroy());
    });
    outgoing.end(JSON.stringify(body));
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    const row = await lastRow(who);
    isEstimate(row);
    expect(row.metadata).toMatchObject({ outcome: 'client_gone' });
  });
});
