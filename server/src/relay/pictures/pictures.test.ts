import { text } from 'node:stream/consumers';
import { optionApi, priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { pixel } from '#testing/dialects/dialect-clients.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { answeringForSuite } from '#testing/network/outbound.ts';
import { httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';
import { recordedText, recordedVendorsForSuite } from '#testing/dialects/recorded-vendors.ts';
import { errorOf, post } from '#testing/relay-calls.ts';
import { fetchPicture } from './fetch-picture.ts';

const BEDROCK = 32;
const OLLAMA = 39;
const png = Buffer.from(pixel, 'base64');
const gif = Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1');

/** The same call in each dialect: its path, its body, and where the URL is in it. */
const asks: Record<
  'openai' | 'responses' | 'anthropic' | 'gemini',
  (model: string, url: string) => [string, object, string]
> = {
  openai: (model: string, url: string) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
    'messages.0.content.0.image_url.url',
  ],
  responses: (model: string, url: string) => [
    '/v1/responses',
    { model, input: [{ role: 'user', content: [{ type: 'input_image', image_url: url, detail: 'auto' }] }] },
    'input.0.content.0.image_url',
  ],
  anthropic: (model: string, url: string) => [
    '/v1/messages',
    {
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
    },
    'messages.0.content.0.source.url',
  ],
  gemini: (model: string, url: string) => [
    `/gemini/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ fileData: { fileUri: url, mimeType: 'image/png' } }] }] },
    'contents.0.parts.0.fileData.fileUri',
  ],
};
const dialects = Object.keys(asks) as (keyof typeof asks)[];

describe('pictures given by their addresses', () => {
  // Addresses allowed for operators are not open to callers.
  const hub = hubForSuite(newSqlite, { OUTBOUND_PRIVATE: 'allow' });
  const vendors = recordedVendorsForSuite();
  const upstream = upstreamForSuite();
  const pictures = answeringForSuite();
  const proxies = { http: httpProxyForSuite(), socks5: socksProxyForSuite() };
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  /** Paths that the picture server was asked for. */
  const asked: string[] = [];

  beforeAll(async () => {
    // Less than what channels may be at, see `hubForSuite`.
    await set({ ChatImagePrivateNetworks: '127.0.0.1/32' });
    const price = { model: 'a-*', type: 'tokens', channel_type: 1, input: 1, output: 2 } as const;
    await hub().root.call(priceApi.create, { body: price });
    const key = 'eu-west-1|AKIDEXAMPLE|secret';
    const models = 'a-bedrock,a-claude';
    const [type, name] = [BEDROCK, 'bedrock'];
    await addChannel(hub(), vendors().url, {
      type,
      name,
      models,
      key,
      model_mapping: '{"a-claude":"+anthropic.claude"}',
    });
    await addChannel(hub(), vendors().url, { type: OLLAMA, name: 'ollama', models: 'a-ollama' });
    await addChannel(hub(), vendors().url, { type: 25, name: 'gemini', models: 'a-gemini' });
  });
  beforeEach(async () => {
    who = await addCaller(db());
    asked.length = 0;
    vendors().seen = '';
    pictures.answer = (request, response) => {
      asked.push(request.url ?? '');
      response.end(png);
    };
  });
  afterEach(async () => {
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const set = (values: Record<string, string | null>) => hub().root.call(optionApi.setMany, { body: { values } });
  const call = (dialect: keyof typeof asks, model: string, url: string) => {
    const [path, body] = asks[dialect](model, url);
    return post(hub(), who.key, body, path);
  };
  const openAi = (model: string, ...urls: string[]) =>
    post(hub(), who.key, {
      model,
      messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
    });
  const here = (path = 'a.png') => pictures.here() + path;

  describe.each(dialects)('asked for in the dialect %s', (dialect) => {
    test.each(['a-bedrock', 'a-ollama'])('%s is shown the bytes', async (model) => {
      const answer = await call(dialect, model, here());
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(recordedText);
      expect(vendors().seen).toContain(pixel);
      expect(vendors().seen).not.toContain(pictures.here());
      expect(asked).toEqual(['/a.png']);
      expect(await rowsOf(db(), who)).toMatchObject([{ failed: false }]);
    });

    test('a picture that cannot be fetched is refused with its path in the request and costs nothing', async () => {
      pictures.answer = (_, response) => void response.writeHead(404).end();
      const answer = await call(dialect, 'a-ollama', here());
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`'${asks[dialect]('', '')[2]}'`);
      expect(answer.text).toContain('its server answered with the status 404');
      expect(answer.text).toContain(
        { anthropic: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' }[dialect as 'gemini'] ?? 'invalid_image_url',
      );
      expect(vendors().seen).toBe('');
      expect(await rowsOf(db(), who)).toMatchObject([
        { quota: 0, failed: true, channel_id: 0, metadata: { status: 400, error: 'invalid_image_url', attempts: [] } },
      ]);
      expect((await call(dialect, 'a-ollama', here())).status).toBe(400);
    });
  });

  test('those in results of tools are shown, too, and each is fetched once', async () => {
    const image = { type: 'image', source: { type: 'url', url: here('b.png') } };
    const body = {
      model: 'a-bedrock',
      max_tokens: 100,
      messages: [
        { role: 'user', content: [image, { type: 'text', text: 'and?' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [image] }] },
      ],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    };
    expect((await post(hub(), who.key, body, '/v1/messages')).status).toBe(200);
    expect(vendors().seen.split(pixel)).toHaveLength(3);
    expect(asked).toEqual(['/b.png']);
  });

  test('of what passes through, nothing else is changed', async () => {
    const content = [{ type: 'image', source: { type: 'url', url: here() }, future: 1 }];
    const body = {
      model: 'a-claude',
      max_tokens: 100,
      messages: [{ role: 'user', content }],
      unknown_field: [1.0, 'x'],
    };
    await post(hub(), who.key, body, '/v1/messages');
    const source = { type: 'base64', media_type: 'image/png', data: pixel };
    expect(JSON.parse(vendors().seen)).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'image', source, future: 1 }] }],
      unknown_field: [1, 'x'],
    });
  });

  test('Google receives other hosts’ pictures as bytes and its own as URLs', async () => {
    await openAi('a-gemini', here(), 'gs://bucket/b.png');
    expect(JSON.parse(vendors().seen)).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/png', data: pixel } },
            { fileData: { fileUri: 'gs://bucket/b.png' } },
          ],
        },
      ],
    });
    vendors().seen = '';
    await call('gemini', 'a-gemini', here());
    expect(vendors().seen).toContain(here());
    expect(asked).toEqual(['/a.png']);
  });

  test.each<[string, string, string]>([
    ['this machine', 'http://127.0.0.2:PORT/a.png', 'cannot be reached'],
    ['this machine in other words', 'http://0x7f000002:PORT/a.png', 'cannot be reached'],
    ['this machine in IPv6', 'http://[::ffff:127.0.0.2]:PORT/a.png', 'cannot be reached'],
    ['a cloud’s metadata', 'http://169.254.169.254/latest/meta-data', 'cannot be reached'],
    ['a way into a private network', 'http://127.0.0.1:PORT/inside', 'cannot be reached'],
    ['nobody', 'http://127.0.0.1:9/a.png', 'cannot be reached'],
    ['an endless way', 'http://127.0.0.1:PORT/round', 'redirects too often'],
    ['no web address', 'ftp://127.0.0.1/a.png', 'cannot be fetched'],
    ['a user and a password', 'http://me:secret@127.0.0.1:PORT/a.png', 'cannot be fetched'],
    ['a page that is called a picture', 'http://127.0.0.1:PORT/page', 'not of a type that the model takes'],
    ['a type that the model does not take', 'http://127.0.0.1:PORT/gif', 'PNG, JPEG, WEBP'],
    ['too much', 'http://127.0.0.1:PORT/large', 'larger than 20 MiB'],
  ])('an address of %s is refused', async (_, address, reason) => {
    pictures.answer = ({ url }, response) => {
      if (url === '/inside') response.writeHead(302, { location: `http://127.0.0.2:${pictures.port}/a.png` }).end();
      else if (url === '/round') response.writeHead(302, { location: '/round' }).end();
      else if (url === '/page') response.writeHead(200, { 'content-type': 'image/png' }).end('<!doctype html>');
      else if (url === '/gif') response.end(gif);
      else if (url === '/large') response.writeHead(200, { 'content-length': 21 * 1024 * 1024 }).write(png);
      else response.end(png);
    };
    const answer = await openAi('a-ollama', address.replace('PORT', String(pictures.port)));
    expect(answer.status).toBe(400);
    const { message, code, param } = errorOf(answer);
    expect({ code, param }).toEqual({ code: 'invalid_image_url', param: 'messages.0.content.0.image_url.url' });
    expect(message).toContain(reason);
    expect(message).not.toMatch(/127\.|169\.|secret/);
    expect(message).not.toContain(String(pictures.port));
    expect(vendors().seen).toBe('');
  });

  test('nothing private is fetched for callers because channels are allowed to be there', async () => {
    await set({ ChatImagePrivateNetworks: null });
    expect(errorOf(await openAi('a-ollama', here())).message).toContain('cannot be reached');
    expect(asked).toEqual([]);
    await set({ ChatImagePrivateNetworks: '127.0.0.1/32' });
  });

  test('a call cannot have any number of them, nor of any size', async () => {
    const many = Array.from({ length: 17 }, (_, i) => here(`${i}.png`));
    expect(errorOf(await openAi('a-ollama', ...many)).message).toContain('at most 16 pictures');
    expect(asked).toEqual([]);
    const large = Buffer.concat([png, Buffer.alloc(17 * 1024 * 1024)]);
    pictures.answer = (_, response) => void response.end(large);
    expect(errorOf(await openAi('a-ollama', here('1'), here('2'))).message).toContain('larger than 32 MiB');
  });

  test('one that comes too slowly is given up', async () => {
    pictures.answer = (_, response) => void response.write(png.subarray(0, 20));
    const soon = AbortSignal.timeout(50);
    await expect(fetchPicture(hub().server.deps, here(), ['image/png'], soon)).rejects.toThrow(
      'did not arrive in time',
    );
  });

  test('who leaves is not fetched for any more, and pays nothing', async () => {
    const arrived = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    pictures.answer = (request) => {
      request.on('close', left.resolve);
      arrived.resolve();
    };
    const over = new AbortController();
    const [path, body] = asks.openai('a-ollama', here());
    const leaving = post(hub(), who.key, body, path, { signal: over.signal });
    await arrived.promise;
    over.abort();
    await expect(leaving).rejects.toThrow();
    await left.promise;
    await expect
      .poll(() => rowsOf(db(), who), { message: 'rows of the caller' })
      .toMatchObject([{ quota: 0, failed: true, channel_id: 0 }]);
    await expect.poll(() => hub().server.deps.book.openCalls, { message: 'open calls' }).toBe(0);
  });

  test('channels that accept URLs receive them and are tried when a picture cannot be fetched', async () => {
    const models = 'a-both';
    // The first channel lacks the path, the second needs bytes, the third accepts URLs.
    const first = await addChannel(hub(), upstream().url, { type: OLLAMA, name: 'first', models, priority: 9 });
    const second = await addChannel(hub(), vendors().url, { type: OLLAMA, name: 'second', models, priority: 5 });
    const third = await addChannel(hub(), upstream().url, { type: 1, name: 'third', models, priority: 1 });
    expect((await openAi('a-both', here())).status).toBe(200);
    expect(upstream().requests.at(-1)?.body).toContain(pixel);
    expect(vendors().seen).toContain(pixel);
    expect(asked).toEqual(['/a.png']);
    pictures.answer = (_, response) => void response.writeHead(500).end();
    hub().server.deps.live.health.forget(first);
    expect((await openAi('a-both', here('b.png'))).status).toBe(200);
    expect(upstream().requests.at(-1)?.body).toContain(here('b.png'));
    expect(await rowsOf(db(), who)).toMatchObject([
      { channel_id: second, metadata: { attempts: [{ channel_id: first, next: 'retried' }, { channel_id: second }] } },
      { channel_id: third, metadata: { attempts: [{ channel_id: third }] } },
    ]);
    const health = (id: number) => hub().server.deps.live.health.of(id, 'a-both', Date.now()).health;
    expect([first, second].map(health)).toEqual(['well', 'well']);
  });

  test.each(['http', 'socks5'] as const)('through a proxy (%s), and never around it', async (scheme) => {
    const proxy = proxies[scheme]();
    const at = `127.0.0.1:${pictures.port}`;
    await set({ ChatImageRequestProxy: `${scheme}://127.0.0.1:${proxy.port}` });
    expect((await openAi('a-ollama', here())).status).toBe(200);
    expect(proxy.requested).toEqual([scheme === 'http' ? `CONNECT ${at}` : at]);
    expect((await openAi('a-ollama', `http://127.0.0.2:${pictures.port}/a.png`)).status).toBe(400);
    expect(proxy.requested).toHaveLength(1);
    await set({ ChatImageRequestProxy: `${scheme}://127.0.0.1:9` });
    expect((await openAi('a-ollama', here())).status).toBe(400);
    expect(asked).toEqual(['/a.png']);
    await set({ ChatImageRequestProxy: null });
  });

  test('by a worker, which is shown the key and answers in base64', async () => {
    await set({ CFWorkerImageUrl: here('worker'), CFWorkerImageKey: 'worker-key' });
    let told: unknown;
    let status = 200;
    pictures.answer = (request, response) => {
      void text(request).then((body) => {
        told = JSON.parse(body);
        return response.writeHead(status).end(JSON.stringify({ status: true, mimeType: 'image/png', data: pixel }));
      });
    };
    const url = 'https://pictures.example/a.png?signed=1';
    expect((await openAi('a-ollama', url)).status).toBe(200);
    expect(told).toEqual({ action: 'base64', api_key: 'worker-key', url });
    expect(vendors().seen).toContain(pixel);
    told = undefined;
    expect((await openAi('a-ollama', 'http://10.0.0.1/a.png')).status).toBe(400);
    expect(told).toBeUndefined();
    status = 403;
    expect((await openAi('a-ollama', url)).status).toBe(400);
    await set({ CFWorkerImageUrl: 'http://127.0.0.1:9/', CFWorkerImageKey: 'worker-key' });
    const answer = await openAi('a-ollama', url);
    expect(answer.status).toBe(502);
    expect(errorOf(answer)).toMatchObject({ code: 'picture_not_fetched' });
    await set({ CFWorkerImageUrl: null, CFWorkerImageKey: null });
  });
});
