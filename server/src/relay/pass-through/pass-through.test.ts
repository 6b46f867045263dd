import { request } from 'node:http';
import { channelApi } from '@relay-hub/contract';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import { RAW_BODY_LIMIT } from './raw-body.ts';
import { until, untilStill } from '#testing/until.ts';

const UPSTREAM_KEY = 'sk-upstream-key-0001';

onOneDatabase('pass-through', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let key: string;
  let simulated: number;
  let bytes: number;

  beforeAll(async () => {
    simulated = await addChannel(hub(), upstream().url);
    bytes = await addChannel(hub(), raw().url, { name: 'bytes' });
    ({ key } = await addToken(hub()));
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const get = (path: string, sent: string | undefined = `${key}#${bytes}`, init: RequestInit = {}) =>
    post(hub(), sent, undefined, path, { method: 'GET', ...init });
  async function rowOf(requestId: string) {
    const find = () => db().selectFrom('logs').where('request_id', '=', requestId).selectAll().executeTakeFirst();
    await caughtUp(db());
    await expect.poll(find, { message: 'the row' }).toBeDefined();
    return (await find())!;
  }

  test.each(['', '#ignore'])('files and batches with the official client, key suffix "%s"', async (suffix) => {
    const client = clientOf(hub(), `${key}#${simulated}${suffix}`);
    const lines = Buffer.from('{"custom_id":"1"}\n'.repeat(5000));
    const file = await client.files.create({ file: await toFile(lines, 'in.jsonl'), purpose: 'batch' });
    expect(file).toMatchObject({ object: 'file', filename: 'in.jsonl', bytes: lines.length });
    const other = await client.files.create({ file: await toFile(lines, 'other.jsonl'), purpose: 'batch' });
    // Each page after the first is found by its query.
    const listed: string[] = [];
    for await (const { id } of client.files.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual(expect.arrayContaining([file.id, other.id]));
    const content = await client.files.content(file.id);
    expect(Buffer.from(await content.arrayBuffer()).equals(lines)).toBe(true);
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(await client.batches.retrieve(batch.id)).toMatchObject({ id: batch.id, status: 'validating' });
    expect(await client.batches.cancel(batch.id)).toMatchObject({ status: 'cancelling' });
    const { data } = await client.batches.list();
    expect(data.map(({ id }) => id)).toContain(batch.id);
    for (const { id } of [file, other]) expect(await client.files.delete(id)).toMatchObject({ deleted: true });
    await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
  });

  test('each is a row that costs nothing', async () => {
    raw().reply = (response) => sendJson(response, { object: 'list', data: [] });
    const { requestId, status } = await get('/v1/threads/thread_1/messages?limit=2');
    expect(status).toBe(200);
    expect(await rowOf(requestId)).toMatchObject({
      model_name: '/v1/threads',
      content: 'GET /v1/threads/thread_1/messages',
      quota: 0,
      channel_id: bytes,
      failed: false,
      metadata: { outcome: 'answered', endpoint: '/v1/threads', input_ratio: 0 },
    });
  });

  test('method, path, query and body arrive as they were; of the headers only harmless ones', async () => {
    raw().requests.length = 0;
    raw().reply = (response) =>
      sendJson(response, { ok: true }, 200, {
        'x-ratelimit-remaining-requests': '7',
        'x-ratelimit-remaining-tokens': '7000',
        'openai-organization': 'org-of-the-operator',
        'set-cookie': 'a=b',
      });
    const body = '{"name":"über", "unknown":  1}';
    const answer = await post(hub(), `${key}#${bytes}`, body, '/v1/vector_stores?order=asc&after=x%26y', {
      headers: {
        cookie: 'session=mine',
        'x-forwarded-for': '10.1.2.3',
        'x-api-key': 'mine',
        'api-key': 'mine',
        'openai-organization': 'org-of-the-caller',
        'openai-beta': 'assistants=v2',
        'idempotency-key': 'once',
      },
    });
    expect(answer).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBe('7000');
    expect(Number(answer.headers.get('x-ratelimit-remaining-requests'))).toBeGreaterThan(7);
    expect([answer.headers.get('openai-organization'), answer.headers.get('set-cookie')]).toEqual([null, null]);
    const [sent] = raw().requests;
    expect(sent).toMatchObject({ url: '/v1/vector_stores?order=asc&after=x%26y' });
    expect(sent!.body.toString()).toBe(body);
    const { host: _, ...headers } = sent!.headers;
    expect(headers).toEqual({
      accept: expect.any(String),
      'accept-encoding': 'identity',
      authorization: `Bearer ${UPSTREAM_KEY}`,
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
      'idempotency-key': 'once',
      'openai-beta': 'assistants=v2',
      'user-agent': expect.stringMatching(/^relay-hub\//),
    });
    expect((await post(hub(), `${key}#${bytes}`, {}, '/v1/models/ft%3Agpt-4o%3Ax', { method: 'DELETE' })).status).toBe(
      200,
    );
    expect(raw().requests.at(-1)!.url).toBe('/v1/models/ft%3Agpt-4o%3Ax');
  });

  describe('refusals', () => {
    async function refused(answer: Awaited<ReturnType<typeof get>>, status: number, code: string) {
      expect({ status: answer.status, code: errorOf(answer).code }).toEqual({ status, code });
    }

    test('who may not', async () => {
      const user: TestCaller = await addCaller(db());
      for (const path of ['/v1/vector_stores', '/v1/containers/c1/files', '/v1/fine_tuning/jobs', '/v1/uploads']) {
        await refused(await get(path, user.key), 404, 'unknown_url');
        await refused(await get(path, `${user.key}#${bytes}`), 403, 'channel_forbidden');
        await refused(await get(path, key), 403, 'channel_required');
        await refused(await get(path, `${key}#!${bytes}`), 403, 'channel_required');
      }
      const ofAnthropic = await get('/v1/vector_stores', user.key, { headers: { 'anthropic-version': '2023-06-01' } });
      expect(JSON.parse(ofAnthropic.text)).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
      const none = await fetch(`${hub().url}/v1/files`);
      expect(none.status).toBe(401);
    });

    test('channels that cannot', async () => {
      await refused(await get('/v1/files', `${key}#999999`), 503, 'no_available_channel');
      const gemini = await addChannel(hub(), raw().url, { name: 'other', type: 25 });
      await refused(await get('/v1/files', `${key}#${gemini}`), 503, 'no_available_channel');
      const off = await addChannel(hub(), raw().url, { name: 'off', status: 2 });
      await refused(await get('/v1/files', `${key}#${off}`), 503, 'no_available_channel');
      await hub().root.call(channelApi.remove, { params: { id: off } });
    });

    test.each([
      '/v1/files/../chat/completions',
      '/v1/files/%2e%2e/chat/completions',
      '/v1/files/..%2fchat',
      '/v1/files/a%5cb',
      '/v1/files//evil.example/x',
      '/v1/files/%252e%252e/x',
      '/v1/files/a%00b',
      '/v1/files/@evil.example/',
    ])('%s leads nowhere', async (path) => {
      raw().requests.length = 0;
      // A path that no client normalizes.
      const status = await new Promise<number>((resolve, reject) => {
        request(hub().url, { path, headers: { authorization: `Bearer ${key}#${bytes}` } }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(400);
      expect(raw().requests).toEqual([]);
    });

    test('an unknown path, and a body that is too large', async () => {
      await refused(await get('/v1/filesystem'), 404, 'unknown_url');
      const answer = await new Promise<number>((resolve, reject) => {
        const outgoing = request(
          `${hub().url}/v1/files`,
          {
            method: 'POST',
            headers: { authorization: `Bearer ${key}#${bytes}`, 'content-length': RAW_BODY_LIMIT + 1 },
          },
          (response) => {
            resolve(response.statusCode!);
            outgoing.destroy();
          },
        );
        outgoing.on('error', reject);
        outgoing.flushHeaders();
      });
      expect(answer).toBe(413);
    });
  });

  describe('the upstream', () => {
    test('its errors are passed on without its key', async () => {
      const error = { error: { message: `No such file for ${UPSTREAM_KEY}`, type: 'x', param: null, code: null } };
      raw().reply = (response) => sendJson(response, error, 404);
      const answer = await get('/v1/files/none');
      expect(answer.status).toBe(404);
      expect(answer.text).toContain('No such file for');
      expect(answer.text).not.toContain(UPSTREAM_KEY);
      expect(await rowOf(answer.requestId)).toMatchObject({ failed: true, quota: 0, metadata: { outcome: 'failed' } });
    });

    test('that it refuses the channel’s key is not the caller’s fault', async () => {
      raw().reply = (response) => sendJson(response, { error: { message: 'bad key' } }, 401);
      const answer = await get('/v1/files');
      expect([answer.status, errorOf(answer).code]).toEqual([502, 'upstream_rejected']);
    });

    test('one that cannot be reached', async () => {
      const gone = await addChannel(hub(), 'http://127.0.0.1:9', { name: 'gone' });
      const answer = await get('/v1/files', `${key}#${gone}`);
      expect([answer.status, errorOf(answer).code]).toEqual([502, 'upstream_unreachable']);
      expect(await rowOf(answer.requestId)).toMatchObject({ failed: true, channel_id: gone });
    });

    test('an answer that breaks off is no whole one', async () => {
      const { promise: isRead, resolve: breakOff } = Promise.withResolvers<void>();
      raw().reply = async (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('half');
        await isRead;
        response.socket?.destroy();
      };
      const response = await fetch(`${hub().url}/v1/files/file-1/content`, {
        headers: { authorization: `Bearer ${key}#${bytes}` },
      });
      const requestId = response.headers.get('x-oneapi-request-id')!;
      breakOff();
      await expect(response.arrayBuffer()).rejects.toThrow();
      expect(await rowOf(requestId)).toMatchObject({ failed: true, quota: 0, metadata: { outcome: 'broken' } });
    });

    test('a caller who stops reading pauses the upstream, and one who leaves ends it', async () => {
      let written = 0;
      let closed = false;
      raw().reply = (response) => {
        response.on('close', () => (closed = true));
        const more = () => {
          while (!response.destroyed) {
            written += 1 << 20;
            if (!response.write(Buffer.alloc(1 << 20))) return void response.once('drain', more);
          }
        };
        more();
      };
      const left = new AbortController();
      const response = await fetch(`${hub().url}/v1/files/file-1/content`, {
        headers: { authorization: `Bearer ${key}#${bytes}` },
        signal: left.signal,
      });
      const requestId = response.headers.get('x-oneapi-request-id')!;
      await untilStill('the upstream cannot send any more', () => written);
      expect(written).toBeLessThan(64 << 20);
      left.abort();
      await until('the upstream is left', () => closed);
      expect(await rowOf(requestId)).toMatchObject({ quota: 0, metadata: { outcome: 'client_gone' } });
    });
  });

  test('the official client reads refusals', async () => {
    const { key: plain } = await addCaller(db());
    await expect(clientOf(hub(), plain).vectorStores.list()).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});
