import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const MODELS = 'gpt-4o,text-embedding-3-small';
const chat = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

onOneDatabase('what a strict server could refuse, and this one takes', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: MODELS });
    await addChannel(hub(), upstream().url, { type: 14, models: 'claude-sonnet-4-5' });
  });
  beforeEach(async () => {
    who = await addCaller(db());
    upstream().reply = (response) => sendJson(response, chat);
    upstream().requests.length = 0;
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const messages = { ...hello, max_tokens: 9 };
  const gemini = { contents: [{ parts: [{ text: 'hi' }] }] };
  test.each([
    [
      '/v1/messages',
      messages,
      (key: string) => ({ 'x-api-key': 'sk-ant-of-anthropic', authorization: `Bearer ${key}` }),
    ],
    ['/v1/chat/completions', hello, (key: string) => ({ authorization: 'Bearer sk-of-openai', 'x-api-key': key })],
    [
      '/gemini/v1beta/models/gpt-4o:generateContent',
      gemini,
      (key: string) => ({ 'x-goog-api-key': 'of-google', authorization: `Bearer ${key}` }),
    ],
  ])('%s: a key of another vendor beside a valid one', async (path, body, headersOf) => {
    const answer = await post(hub(), undefined, body, path, { headers: headersOf(who.key) });
    expect(answer.status).toBe(200);
    const wrong = await post(hub(), undefined, body, path, { headers: headersOf('sk-nobodys') });
    expect(wrong.status).toBe(401);
  });

  test('a byte order mark, which does not reach the provider', async () => {
    expect((await post(hub(), who.key, `\uFEFF${JSON.stringify(hello)}`)).status).toBe(200);
    expect(JSON.parse(upstream().requests[0]!.body.toString())).toMatchObject({ model: 'gpt-4o' });
  });

  test('half a character, which a provider of another dialect gets replaced', async () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const reply = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], usage };
    upstream().reply = (response) => sendJson(response, { ...reply, stop_reason: 'end_turn' });
    const text = 'cut \ud83d, whole \ud83d\ude00, written \\ud83d';
    const body = `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":${JSON.stringify(text)}}]}`;
    expect((await post(hub(), who.key, body)).status).toBe(200);
    expect(upstream().requests[0]!.body.toString()).toContain(
      JSON.stringify('cut \ufffd, whole \ud83d\ude00, written \\ud83d'),
    );
  });

  test('floats of a provider where base64 was asked for, which the caller gets', async () => {
    const data = [{ object: 'embedding', index: 0, embedding: [0.5, -1] }];
    upstream().reply = (response) =>
      sendJson(response, { object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } });
    const body = { model: 'text-embedding-3-small', input: 'x', encoding_format: 'base64' };
    const answer = JSON.parse((await post(hub(), who.key, body, '/v1/embeddings')).text) as typeof chat & {
      data: { embedding: string }[];
    };
    const bytes = Buffer.from(answer.data[0]!.embedding, 'base64');
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0.5, -1]);
  });

  test('a connection that its server closes as it is used again, once', async () => {
    const served = new WeakSet<object>();
    let isBroken = false;
    upstream().reply = (response) => {
      const { socket } = response;
      if (isBroken || (socket && served.has(socket))) return void socket?.resetAndDestroy();
      if (socket) served.add(socket);
      return sendJson(response, chat);
    };
    for (let i = 0; i < 4; i++) expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect((await rowsOf(db(), who)).at(-1)!.metadata!.attempts).toMatchObject([{ cause: 'broken' }, { result: 'ok' }]);
    isBroken = true;
    expect((await post(hub(), who.key, hello)).status).toBe(502);
    expect((await rowsOf(db(), who)).at(-1)!.metadata!.attempts!.length).toBeLessThanOrEqual(2);
  });

  test.each(['socks5h://user:word@127.0.0.1:1080', 'socks5://127.0.0.1:1080'])('the proxy %s', async (proxy) => {
    expect(await addChannel(hub(), upstream().url, { models: 'gpt-4.1', proxy })).toBeGreaterThan(0);
  });
});
