import { request } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { sendBeforeReading } from '#testing/network/deaf-caller.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { refusals } from '#testing/refusals.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { BODY_LIMIT } from './read-body.ts';

const pack = {
  gzip: (bytes: Buffer) => gzipSync(bytes),
  'x-gzip': (bytes: Buffer) => gzipSync(bytes),
  deflate: (bytes: Buffer) => deflateSync(bytes),
  br: (bytes: Buffer) => brotliCompressSync(bytes),
  zstd: (bytes: Buffer) => zstdCompressSync(bytes),
};

const messages = [{ role: 'user', content: 'hello' }];

onOneDatabase('bodies that are refused', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url);
  });
  beforeEach(async () => void (who = await addCaller(hub().server.deps.db)));

  const { state, refused } = refusals(hub, upstream, () => who);

  describe('a body that cannot be read', () => {
    test.each([
      ['no body', '', /not valid JSON/, null],
      ['no JSON', '{"model":"gpt-4o",', /not valid JSON/, null],
      ['a list', '[]', /JSON object/, null],
      ['a text', '"hello"', /JSON object/, null],
      ['null', 'null', /JSON object/, null],
      ['no model', { messages }, /'model' is required/, 'model'],
      ['a model that is null', { model: null, messages }, /'model' is required/, 'model'],
      ['an empty model', { model: '', messages }, /'model' is not valid/, 'model'],
      ['a model that is a number', { model: 5, messages }, /'model' is not valid/, 'model'],
      ['a model of 201 characters', { model: 'x'.repeat(201), messages }, /'model' is not valid/, 'model'],
      ['no messages', { model: 'gpt-4o' }, /'messages' is required/, 'messages'],
      ['empty messages', { model: 'gpt-4o', messages: [] }, /'messages' is not valid/, 'messages'],
      ['messages that are a text', { model: 'gpt-4o', messages: 'hello' }, /'messages' is not valid/, 'messages'],
      ['a message that is a text', { model: 'gpt-4o', messages: [messages[0], 'hello'] }, /messages\.1/, 'messages.1'],
      ['a message that is null', { model: 'gpt-4o', messages: [null] }, /messages\.0/, 'messages.0'],
      ['a message without a role', { model: 'gpt-4o', messages: [{ content: 'hello' }] }, /messages\.0/, 'messages.0'],
      ['stream as a text', { ...hello, stream: 'yes' }, /'stream' is not valid: it must be true or false/, 'stream'],
      ['stream as a number', { ...hello, stream: 1 }, /'stream' is not valid/, 'stream'],
      [
        'stream_options without stream',
        { ...hello, stream_options: { include_usage: true } },
        /only allowed when 'stream' is true/,
        'stream_options',
      ],
      [
        'stream_options that are a list',
        { ...hello, stream: true, stream_options: [] },
        /'stream_options' is not valid/,
        'stream_options',
      ],
      ['max_tokens below zero', { ...hello, max_tokens: -1 }, /'max_tokens' is not valid/, 'max_tokens'],
      ['max_tokens below 0', { ...hello, max_tokens: -1 }, /'max_tokens' is not valid/, 'max_tokens'],
      ['max_tokens as a text', { ...hello, max_tokens: '5' }, /'max_tokens' is not valid/, 'max_tokens'],
      [
        'a fraction of max_completion_tokens',
        { ...hello, max_completion_tokens: 1.5 },
        /'max_completion_tokens' is not valid/,
        'max_completion_tokens',
      ],
      ['max_tokens beyond reason', { ...hello, max_tokens: 1e12 }, /'max_tokens' is not valid/, 'max_tokens'],
      ['n below 0', { ...hello, n: -1 }, /'n' is not valid: it must be a whole number from 1 to 128/, 'n'],
      ['n -3', { ...hello, n: -3 }, /'n' is not valid/, 'n'],
      ['n 129', { ...hello, n: 129 }, /'n' is not valid/, 'n'],
      ['tools that are an object', { ...hello, tools: {} }, /'tools' is not valid/, 'tools'],
    ])('chat: %s', (_, body, says, param) =>
      refused(() => post(hub(), who.key, body), 400, 'invalid_request', says, param),
    );

    test.each([
      ['no input', { model: 'text-embedding-3-small' }, /'input' is required/, 'input'],
      ['an empty text', { model: 'text-embedding-3-small', input: '' }, /'input' is not valid/, 'input'],
      ['an empty list', { model: 'text-embedding-3-small', input: [] }, /'input' is not valid/, 'input'],
      ['texts and numbers', { model: 'text-embedding-3-small', input: ['a', 1] }, /'input' is not valid/, 'input'],
      ['an object', { model: 'text-embedding-3-small', input: { text: 'a' } }, /'input' is not valid/, 'input'],
      ['fractions', { model: 'text-embedding-3-small', input: [1.5] }, /'input' is not valid/, 'input'],
      ['no model', { input: 'a' }, /'model' is required/, 'model'],
    ])('embeddings: %s', (_, body, says, param) =>
      refused(() => post(hub(), who.key, body, '/v1/embeddings'), 400, 'invalid_request', says, param),
    );
  });

  describe('a body that is too large or packed', () => {
    /** Sent by hand, since `fetch` neither lies about a length nor stops when it is answered. */
    const sendPieces = (headers: Record<string, string | number>, pieces: Iterable<Buffer>) =>
      new Promise<Awaited<ReturnType<typeof post>>>((resolve, reject) => {
        const { port } = new URL(hub().url);
        const outgoing = request(
          {
            port,
            path: '/v1/chat/completions',
            method: 'POST',
            headers: { authorization: `Bearer ${who.key}`, ...headers },
          },
          (response) => {
            let text = '';
            response.on('data', (piece: Buffer) => (text += piece.toString()));
            response.on('end', () => {
              const answered = new Headers(response.headers as Record<string, string>);
              resolve({
                status: response.statusCode ?? 0,
                headers: answered,
                text,
                requestId: answered.get('x-oneapi-request-id') ?? '',
              });
              outgoing.destroy();
            });
          },
        );
        let answered = false;
        outgoing.on('response', () => (answered = true));
        outgoing.on('error', (error) => answered || reject(error));
        for (const piece of pieces) outgoing.write(piece);
        if (headers['content-length'] === undefined) outgoing.end();
      });

    test('by its own account', () =>
      refused(
        () => sendPieces({ 'content-length': BODY_LIMIT + 1 }, [Buffer.from('{')]),
        413,
        'request_too_large',
        /larger than 32 MiB/,
      ));
    test('without telling its length', () => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      return refused(
        () =>
          sendPieces(
            { 'transfer-encoding': 'chunked' },
            Array.from({ length: 34 }, () => piece),
          ),
        413,
        'request_too_large',
        /larger than 32 MiB/,
      );
    });
    test('by one who reads nothing before all of it is sent', async () => {
      const headers = { authorization: `Bearer ${who.key}` };
      const asked = { url: hub().url, path: '/v1/chat/completions', headers, mebibytes: 40 };
      // It is chance whether a closed connection still delivers the response.
      for (const answer of await sendBeforeReading(asked, 6))
        expect(answer).toMatch(/^HTTP\/1\.1 413 .*larger than 32 MiB/s);
    });
    const packed = (encoding: string, body: Buffer, path?: string, type = 'application/json') =>
      post(hub(), who.key, new Uint8Array(body), path, {
        headers: { 'content-encoding': encoding, 'content-type': type },
      });
    test.each([
      ['in a way that is not known', 'compress', /one of gzip, deflate, br, zstd/],
      ['twice', 'gzip, gzip', /one of gzip, deflate, br, zstd/],
    ])('packed %s', (_, encoding, words) =>
      refused(() => packed(encoding, gzipSync(JSON.stringify(hello))), 415, 'unsupported_encoding', words),
    );
    test('packed, and a form', () =>
      refused(
        () => packed('gzip', gzipSync('--x--'), '/v1/audio/transcriptions', 'multipart/form-data; boundary=x'),
        415,
        'unsupported_encoding',
        /without Content-Encoding/,
      ));
    test.each([
      ['cut', (whole: Buffer) => whole.subarray(0, -4)],
      ['otherwise than it says', () => Buffer.from(JSON.stringify(hello))],
    ])('packed, and %s', (_, made) =>
      refused(
        () => packed('gzip', made(gzipSync(JSON.stringify(hello)))),
        400,
        'invalid_request',
        /does not match its Content-Encoding/,
      ),
    );
    test.each(['gzip', 'br', 'zstd'] as const)('a %s bomb', (encoding) =>
      refused(
        () => packed(encoding, pack[encoding](Buffer.alloc(BODY_LIMIT + 1, ' '))),
        413,
        'request_too_large',
        /larger than 32 MiB/,
      ),
    );
    test.each(Object.keys(pack) as (keyof typeof pack)[])(
      'one that came as %s is read, and sent on unpacked',
      async (encoding) => {
        const body = JSON.stringify({ ...hello, unknown: 1e20 });
        const answer = await packed(encoding, pack[encoding](Buffer.from(body)));
        expect(answer.status, answer.text).toBe(200);
        const sent = upstream().requests.at(-1)!;
        expect(sent.headers).not.toHaveProperty('content-encoding');
        expect(JSON.parse(sent.body)).toEqual(JSON.parse(body));
      },
    );
    test('one just within the limit is read', async () => {
      const body = JSON.stringify(hello);
      expect((await post(hub(), who.key, body + ' '.repeat(BODY_LIMIT - body.length))).status).toBe(200);
    });
    test('one that breaks off leaves nothing behind', async () => {
      const before = await state();
      const { port } = new URL(hub().url);
      await new Promise<void>((resolve) => {
        const outgoing = request({
          port,
          path: '/v1/chat/completions',
          method: 'POST',
          headers: { authorization: `Bearer ${who.key}`, 'content-length': 1000 },
        });
        outgoing.on('error', () => resolve());
        outgoing.write('{"model":', () => setImmediate(() => outgoing.destroy(new Error('gone'))));
      });
      expect((await post(hub(), who.key, 'x')).status).toBe(400);
      expect(await state()).toEqual(before);
    });
  });
});
