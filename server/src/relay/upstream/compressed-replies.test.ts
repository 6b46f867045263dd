import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite } from '#testing/network/raw-upstream.ts';
import { hello, post } from '#testing/relay-calls.ts';

const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
/** Long and random: compressed it is still larger than what is held back of an incomplete event. */
const content = randomBytes(100_000).toString('base64');
const whole = {
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
};
const events = [
  { choices: [{ index: 0, delta: { content } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
];
const stream = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;
const packings = {
  gzip: gzipSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  identity: (bytes: Buffer) => bytes,
};

onOneDatabase('compressed replies although identity was requested', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const other = upstreamForSuite();
  const db = () => hub().server.deps.db;
  const ids: number[] = [];

  beforeAll(async () => {
    ids.push(await addChannel(hub(), raw().url, { name: 'packing', models: 'gpt-4o,gpt-4.1', priority: 9 }));
    await addChannel(hub(), other().url, { name: 'spare', models: 'gpt-4.1' });
  });
  afterEach(async () => {
    for (const id of ids) hub().server.deps.live.health.forget(id);
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const answer = (encoding: keyof typeof packings, streamed: boolean) => (response: ServerResponse) => {
    const bytes = packings[encoding](Buffer.from(streamed ? stream : JSON.stringify(whole)));
    const type = streamed ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type, 'content-encoding': encoding });
    response.end(bytes);
  };

  describe.each([
    ['passing', '/v1/chat/completions', hello],
    ['converting', '/v1/messages', { ...hello, max_tokens: 1000 }],
  ])('%s', (_, path, body) => {
    describe.each([false, true])('streamed: %s', (streamed) => {
      test.each(['gzip', 'br'] as const)(
        '%s is refused with a message and nothing of it is passed on',
        async (encoding) => {
          raw().reply = answer(encoding, streamed);
          const who = await addCaller(db());
          const refused = await post(hub(), who.key, { ...body, stream: streamed }, path);
          expect(refused.status).toBe(502);
          expect(refused.headers.get('content-type')).toBe('application/json');
          expect(JSON.parse(refused.text)).toMatchObject({ error: { message: expect.stringContaining('compressed') } });
          expect(raw().requests.at(-1)!.headers['accept-encoding']).toBe('identity');
          expect(await rowsOf(db(), who)).toMatchObject([
            { quota: 0, failed: true, metadata: { attempts: [{ status: 200, result: 'bad_reply' }] } },
          ]);
        },
      );

      test('another channel is tried before anything reaches the caller', async () => {
        raw().reply = answer('gzip', streamed);
        const who = await addCaller(db());
        const answered = await post(hub(), who.key, { ...body, model: 'gpt-4.1', stream: streamed }, path);
        expect(answered.status).toBe(200);
        expect(answered.text).toContain('Hello');
        expect(await rowsOf(db(), who)).toMatchObject([
          { metadata: { attempts: [{ result: 'bad_reply', next: 'retried' }, { result: 'ok' }] } },
        ]);
      });

      test('a reply with Content-Encoding: identity is read', async () => {
        raw().reply = answer('identity', streamed);
        const who = await addCaller(db());
        const answered = await post(hub(), who.key, { ...body, stream: streamed }, path);
        expect(answered.status).toBe(200);
        expect(answered.text).toContain(content.slice(-100));
      });
    });
  });

  test('a compressed error is judged by its status', async () => {
    raw().reply = (response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'content-encoding': 'gzip', 'retry-after': '7' });
      response.end(gzipSync('{"error":{"message":"slow down"}}'));
    };
    const who = await addCaller(db());
    const refused = await post(hub(), who.key, hello);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { message: expect.stringContaining('HTTP status 429') } });
  });
});
