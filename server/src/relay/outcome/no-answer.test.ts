import { channelApi, priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson, sendStream } from '#testing/network/raw-upstream.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const chat = { ...hello, model: 'chat' };
const messages = { model: 'messages', max_tokens: 9, messages: hello.messages };
const contents = { contents: [{ parts: [{ text: 'hello' }] }] };
const gemini = '/gemini/v1beta/models/gemini:generateContent';
const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9 } };
const filtered = { error: { message: 'The prompt triggered the filter.', code: 'content_filter', status: 400 } };
const form = () => {
  const body = new FormData();
  body.set('model', 'sound');
  body.set('file', new File(['RIFF'], 'a.wav'));
  return body;
};

onOneDatabase('answers that are none', (make) => {
  const hub = hubForSuite(make);
  const bad = rawUpstreamForSuite();
  const good = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  const firsts: number[] = [];

  beforeAll(async () => {
    const plain = 'chat,completion,embedding,rerank,moderation,picture,sound,responses';
    for (const model of [...plain.split(','), 'messages', 'gemini', 'gemini-embed']) {
      const price = { type: 'tokens', channel_type: 1, input: 1, output: 1 } as const;
      await hub().root.call(priceApi.create, { body: { model, ...price } });
    }
    for (const [type, models] of [
      [8, plain],
      [14, 'messages'],
      [25, 'gemini,gemini-embed'],
    ] as const) {
      firsts.push(await addChannel(hub(), bad().url, { type, models, priority: 10 }));
      await addChannel(hub(), good().url, { type, models });
    }
  });
  beforeEach(async () => {
    await db().updateTable('channels').set({ last_error: '' }).execute();
    bad().requests.length = 0;
    good().requests.length = 0;
    for (const id of firsts) hub().server.deps.live.health.forget(id);
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const lastRow = async (who: TestCaller) => (await rowsOf(db(), who)).at(-1)!;

  /** A non-answer for each kind of call, and a real answer. */
  const kinds: [string, string, unknown, object, object][] = [
    ['chat: an empty object', '/v1/chat/completions', chat, {}, { choices: [{ message: { content: 'A' } }] }],
    ['chat: no choices', '/v1/chat/completions', chat, { choices: [] }, { choices: [{ message: { content: 'A' } }] }],
    [
      'completions',
      '/v1/completions',
      { model: 'completion', prompt: 'a' },
      { choices: [] },
      { choices: [{ text: 'A' }] },
    ],
    [
      'responses',
      '/v1/responses',
      { model: 'responses', input: 'a' },
      { status: 'completed', output: [] },
      { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'A' }] }] },
    ],
    ['messages', '/v1/messages', messages, {}, { content: [{ type: 'text', text: 'A' }], stop_reason: 'end_turn' }],
    [
      'messages for a chat',
      '/v1/chat/completions',
      { ...chat, model: 'messages' },
      {},
      { content: [{ type: 'text', text: 'A' }] },
    ],
    [
      'gemini',
      gemini,
      contents,
      { candidates: [] },
      { candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP' }] },
    ],
    [
      'embeddings',
      '/v1/embeddings',
      { model: 'embedding', input: 'a' },
      { data: [] },
      { data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 1 } },
    ],
    [
      'embeddings of Gemini',
      '/gemini/v1beta/models/gemini-embed:embedContent',
      { content: { parts: [{ text: 'a' }] } },
      { embedding: { values: [] } },
      { embedding: { values: [0.5] } },
    ],
    [
      'rerank',
      '/v1/rerank',
      { model: 'rerank', query: 'a', documents: ['b'] },
      { results: [] },
      { results: [{ index: 0, relevance_score: 0.5 }] },
    ],
    [
      'moderations',
      '/v1/moderations',
      { model: 'moderation', input: 'a' },
      { results: [] },
      { results: [{ flagged: false }] },
    ],
    [
      'images',
      '/v1/images/generations',
      { model: 'picture', prompt: 'a', n: 2 },
      { created: 1, data: [] },
      { created: 1, data: [{ url: 'https://a.example/1.png' }, { url: 'https://a.example/2.png' }] },
    ],
    [
      'images: an empty object',
      '/v1/images/generations',
      { model: 'picture', prompt: 'a' },
      {},
      { data: [{ b64_json: 'aW1n' }] },
    ],
  ];

  describe.each(kinds)('%s', (_, path, body, nothing, answer) => {
    test('it fails over', async () => {
      bad().reply = (response) => sendJson(response, nothing);
      good().reply = (response) => sendJson(response, answer);
      const who = await addCaller(db());
      expect((await post(hub(), who.key, body, path)).status).toBe(200);
      expect((await lastRow(who)).metadata).toMatchObject({
        outcome: 'answered',
        attempts: [{ status: 200, result: 'bad_reply', next: 'retried' }, { result: 'ok' }],
      });
    });

    test('it is an error that costs nothing where there is no other channel', async () => {
      bad().reply = (response) => sendJson(response, nothing);
      good().reply = (response) => sendJson(response, nothing);
      const who = await addCaller(db());
      expect((await post(hub(), who.key, body, path)).status).toBe(502);
      expect(await lastRow(who)).toMatchObject({
        quota: 0,
        failed: true,
        prompt_tokens: 0,
        metadata: { outcome: 'failed' },
      });
    });
  });

  test('a transcript without a text fails over; silence is an answer', async () => {
    bad().reply = (response) => sendJson(response, {});
    good().reply = (response) => sendJson(response, { text: '' });
    const who = await addCaller(db());
    const answer = await fetch(`${hub().url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}` },
      body: form(),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { text: '' }]);
    expect((await lastRow(who)).metadata).toMatchObject({ attempts: [{ result: 'bad_reply' }, { result: 'ok' }] });
  });

  test('a stream that holds nothing but its end fails over', async () => {
    bad().reply = (response) => sendStream(response, ['data: [DONE]\n\n']);
    good().reply = (response) =>
      sendStream(response, [
        'data: {"choices":[{"delta":{"content":"A"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      ]);
    const who = await addCaller(db());
    const answer = await post(hub(), who.key, { ...chat, stream: true });
    expect(answer.text).toContain('"content":"A"');
    expect((await lastRow(who)).metadata).toMatchObject({ attempts: [{ result: 'bad_reply' }, { result: 'ok' }] });
  });

  test('a stream of pictures that ends without one costs nothing', async () => {
    const events = 'data: {"type":"image_generation.partial_image","b64_json":"aW1n"}\n\n';
    bad().reply = (response) => sendStream(response, [events]);
    const who = await addCaller(db());
    await post(hub(), who.key, { model: 'picture', prompt: 'a', stream: true }, '/v1/images/generations');
    expect(await lastRow(who)).toMatchObject({ quota: 0, failed: true });
  });

  test('an answer without text is one all the same', async () => {
    bad().reply = (response) => sendJson(response, { choices: [{ message: { content: '' }, finish_reason: 'stop' }] });
    const who = await addCaller(db());
    expect((await post(hub(), who.key, chat)).status).toBe(200);
    expect((await lastRow(who)).metadata).toMatchObject({ outcome: 'answered' });
  });

  describe('a prompt that the vendor blocked is the caller’s: 400, once, and nothing against the channel', () => {
    type Blocked = [string, string, unknown, (reply: Parameters<typeof sendJson>[0]) => unknown];
    test.each<Blocked>([
      ['Gemini', gemini, contents, (response) => sendJson(response, blocked)],
      [
        'Gemini, for a chat',
        '/v1/chat/completions',
        { ...chat, model: 'gemini' },
        (response) => sendJson(response, blocked),
      ],
      [
        'Gemini, in a stream',
        '/v1/chat/completions',
        { ...chat, model: 'gemini', stream: true },
        (response) => sendStream(response, [`data: ${JSON.stringify(blocked)}\n\n`]),
      ],
      [
        'Gemini, in a stream that passes',
        `${gemini.replace(':g', ':streamG')}?alt=sse`,
        contents,
        (response) => sendStream(response, [`data: ${JSON.stringify(blocked)}\n\n`]),
      ],
      [
        'Gemini, in a stream as a list',
        gemini.replace(':g', ':streamG'),
        contents,
        (response) => sendStream(response, [`data: ${JSON.stringify(blocked)}\n\n`]),
      ],
      ['Azure', '/v1/chat/completions', chat, (response) => sendJson(response, filtered, 400)],
      ['an error in a success', '/v1/chat/completions', chat, (response) => sendJson(response, filtered)],
      [
        'Azure, beside no choices',
        '/v1/chat/completions',
        chat,
        (response) =>
          sendJson(response, {
            choices: [],
            prompt_filter_results: [{ content_filter_results: { violence: { filtered: true, severity: 'high' } } }],
          }),
      ],
      [
        'pictures of OpenAI',
        '/v1/images/generations',
        { model: 'picture', prompt: 'a' },
        (response) => sendJson(response, { error: { message: 'No.', code: 'moderation_blocked' } }, 400),
      ],
      [
        'OpenRouter',
        '/v1/chat/completions',
        chat,
        (response) =>
          sendJson(
            response,
            { error: { code: 403, message: 'It requires moderation. Your input was flagged for "violence".' } },
            403,
          ),
      ],
    ])('%s', async (_, path, body, reply) => {
      bad().reply = (response) => void reply(response);
      const who = await addCaller(db());
      const refused = await post(hub(), who.key, body, path);
      expect(refused.status).toBe(400);
      if (path.startsWith('/v1/')) expect(errorOf(refused).code).toBe('content_filter');
      expect([bad().requests.length, good().requests.length]).toEqual([1, 0]);
      expect(await lastRow(who)).toMatchObject({
        quota: 0,
        metadata: {
          outcome: 'failed',
          status: 400,
          error: 'content_filter',
          attempts: [{ result: 'content_filter', next: 'not_retryable' }],
        },
      });
      for (const id of firsts) {
        expect(hub().server.deps.live.health.frozenUntil(id, Date.now())).toBe(0);
        expect((await hub().root.call(channelApi.get, { params: { id } })).last_error).toBe('');
      }
    });
  });
});
