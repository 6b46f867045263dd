import { creditsFor, noUsage, priceApi, ratesOf } from '@relay-hub/contract';
import { ApiError, GoogleGenAI, type GoogleGenAIOptions } from '@google/genai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Json, objectOr, parseJson, textOr } from '#json.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const MODEL = 'gemini-2.5-flash';
const BALANCE = 10_000_000;
const price = { type: 'tokens', input: 0.15, output: 0.5, extra_ratios: {} } as const;
const GOOGLE = 'https://generativelanguage.googleapis.com/v1beta/';

onOneDatabase('objects at Google of users', (make) => {
  const hub = hubForSuite(make);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  /** Files and caches at the provider, by name. */
  const kept = new Map<string, Json & { auth: string }>();
  let who: TestCaller;
  let other: TestCaller;
  let hasPrice = false;
  let cacheTokens: number | undefined = 5000;
  let fails = false;

  const client = (key = who.key, httpOptions: GoogleGenAIOptions['httpOptions'] = {}) =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${hub().url}/gemini`, ...httpOptions } });

  beforeEach(async () => {
    who = await addCaller(db(), { quota: BALANCE });
    other = await addCaller(db(), { quota: BALANCE });
    raw().requests.length = 0;
    cacheTokens = 5000;
    fails = false;
    await db().updateTable('channels').set({ deleted_time: 1 }).where('deleted_time', 'is', null).execute();
    await addChannel(hub(), raw().url, {
      type: 25,
      key: 'key-a-000000\nkey-b-000000',
      models: MODEL,
    });
    raw().reply = (response, body) => {
      const { url, headers } = raw().requests.at(-1)!;
      const auth = String(headers['x-goog-api-key']);
      const json = objectOr(parseJson(body.toString()));
      const { pathname, searchParams } = new URL(url, GOOGLE);
      if (fails) return sendJson(response, { error: { code: 500, message: 'no', status: 'INTERNAL' } }, 500);
      if (pathname.startsWith('/upload/') && !searchParams.has('upload_id')) {
        kept.set('upload', { ...objectOr(json['file']), auth });
        const at = `${GOOGLE.replace('v1beta/', '')}upload/v1beta/files?upload_id=up-1&upload_protocol=resumable`;
        return void response.writeHead(200, { 'x-goog-upload-url': at, 'x-goog-upload-status': 'active' }).end();
      }
      if (pathname.startsWith('/upload/')) {
        if (kept.get('upload')!.auth !== auth) return sendJson(response, {}, 403);
        const name = `files/file-${kept.size}`;
        const isLast = String(headers['x-goog-upload-command']).includes('finalize');
        const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
        const file = { name, uri: GOOGLE + name, state: 'PROCESSING', sizeBytes: String(body.length), expirationTime };
        kept.set(name, { ...file, auth });
        const status = { 'x-goog-upload-status': isLast ? 'final' : 'active' };
        return sendJson(response, { file }, 200, status);
      }
      const [, name = ''] = /^\/v\w+\/((?:files|cachedContents)(?:\/[\w.-]+)?)/.exec(pathname) ?? [];
      if (name === 'cachedContents') {
        const { contents: _, ttl, ...rest } = json;
        const now = Date.now();
        const cache = {
          ...rest,
          name: `cachedContents/cache-${kept.size}`,
          createTime: new Date(now).toISOString(),
          expireTime: new Date(now + Number.parseInt(textOr(ttl, '3600s'), 10) * 1000).toISOString(),
          ...(cacheTokens !== undefined && { usageMetadata: { totalTokenCount: cacheTokens } }),
        };
        kept.set(cache.name, { ...cache, auth });
        return sendJson(response, cache);
      }
      const object = kept.get(name);
      if (name !== '' && object?.auth !== auth)
        return sendJson(response, { error: { code: 403, message: 'no permission', status: 'PERMISSION_DENIED' } }, 403);
      if (pathname.endsWith(':download')) return void response.end('contents');
      if (name !== '') return sendJson(response, { ...object, state: 'ACTIVE', auth: undefined });
      const names = [...body.toString().matchAll(/(?:files|cachedContents)\/[\w-]+/g)].map(([found]) =>
        kept.get(found),
      );
      if (names.some((one) => one?.auth !== auth)) return sendJson(response, { error: { code: 403 } }, 403);
      if (pathname.endsWith(':countTokens')) return sendJson(response, { totalTokens: 5003 });
      sendJson(response, {
        candidates: [{ content: { role: 'model', parts: [{ text: 'read' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5010, cachedContentTokenCount: 5000, candidatesTokenCount: 1 },
      });
    };
  });

  afterEach(() => expectBooksBalance(db()));

  const spent = async () => BALANCE - (await userOf(db(), who)).balance;
  const statusOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : error),
    );
  const upload = (from = client()) =>
    from.files.upload({ file: new Blob(['hello']), config: { mimeType: 'text/plain', displayName: 'a' } });
  const read = (fileUri: string, from = client()) =>
    from.models.generateContent({
      model: MODEL,
      contents: [{ role: 'user', parts: [{ fileData: { fileUri, mimeType: 'text/plain' } }] }],
    });

  test('are uploaded, listed, read, named and deleted by their owner alone', async () => {
    const files = [];
    for (let n = 0; n < 3; n++) files.push(await upload());
    const [file] = files;
    expect(file).toMatchObject({ uri: expect.stringContaining(GOOGLE) as string, state: 'PROCESSING' });
    expect(new Set(files.map(({ name }) => kept.get(name!)!.auth)).size).toBe(1);
    expect(raw().requests.some(({ url }) => url.includes(who.key.slice(3)) || url.includes('sign='))).toBe(false);
    const listed: string[] = [];
    for await (const { name } of await client().files.list({ config: { pageSize: 2 } })) listed.push(name!);
    expect(new Set(listed)).toEqual(new Set(files.map(({ name }) => name)));
    expect(listed).toHaveLength(3);
    expect(await client().files.get({ name: file!.name! })).toMatchObject({ state: 'ACTIVE' });
    expect((await client().files.list()).page.find(({ name }) => name === file!.name)).toMatchObject({
      state: 'ACTIVE',
    });
    for (let n = 0; n < 3; n++) expect((await read(file!.uri!)).text).toBe('read');

    const sent = raw().requests.length;
    const theirs = client(other.key);
    expect((await theirs.files.list()).page).toEqual([]);
    const odd = [file!.uri!, file!.name!, file!.uri!.replace('v1beta', 'v1').replace('files/', '%66iles/')];
    for (const steal of [
      () => theirs.files.get({ name: file!.name! }),
      () => theirs.files.delete({ name: file!.name! }),
      ...odd.map((uri) => () => read(uri, theirs)),
      () => theirs.models.countTokens({ model: MODEL, contents: [{ parts: [{ fileData: { fileUri: file!.uri! } }] }] }),
    ])
      expect(await statusOf(steal())).toBe(404);
    const snake = { contents: [{ parts: [{ file_data: { file_uri: file!.uri! } }] }] };
    expect((await post(hub(), other.key, snake, `/gemini/v1beta/models/${MODEL}:generateContent`)).status).toBe(404);
    const image_url = { url: file!.uri! };
    const chat = { model: MODEL, messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] };
    expect((await post(hub(), other.key, chat)).status).toBe(400);
    expect(raw().requests).toHaveLength(sent);

    await client().files.delete({ name: file!.name! });
    expect(await statusOf(client().files.get({ name: file!.name! }))).toBe(404);
    const download = await fetch(`${hub().url}/gemini/v1beta/${files[1]!.name}:download?alt=media&key=${who.key}`);
    expect(await download.text()).toBe('contents');
    expect(raw().requests.at(-1)!.url).toBe(`/v1beta/${files[1]!.name}:download?alt=media`);
  });

  test('are uploaded to an address that needs no key, and is only for its upload', async () => {
    const start = await fetch(`${hub().url}/upload/v1beta/files`, {
      method: 'POST',
      headers: {
        'x-goog-api-key': who.key,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'content-type': 'application/json',
      },
      body: '{"file":{"displayName":"a"}}',
    });
    const address = start.headers.get('x-goog-upload-url')!;
    expect(address.startsWith(hub().url)).toBe(true);
    const send = (url: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
        body: 'hello',
      });
    for (const wrong of [
      address.replace('up-1', 'up-2'),
      address.replace(/place=[^&]+/, (place) => `${place}1`),
      address.replace(/sign=.*/, 'sign=x'),
    ]) {
      const refused = await send(wrong);
      expect([refused.status, await refused.json()]).toMatchObject([404, { error: { status: 'NOT_FOUND' } }]);
    }
    const done = await send(address);
    expect([done.status, done.headers.get('x-goog-upload-status')]).toEqual([200, 'final']);
    // The file is known once the reply has ended; its head arrives earlier.
    await done.text();
    expect((await client().files.list()).page).toHaveLength(1);
    expect(raw().requests.at(-1)!.headers).toMatchObject({ 'x-goog-upload-offset': '0' });
  });

  test('are cached for the time that was paid for', async () => {
    const cache = (ttl?: string, from = client()) =>
      from.caches.create({
        model: MODEL,
        config: { contents: 'x'.repeat(20_000), displayName: 'notes', ...(ttl !== undefined && { ttl }) },
      });
    if (!hasPrice) expect(await statusOf(cache())).toBe(404);
    expect(raw().requests).toEqual([]);
    if (!hasPrice)
      await hub().root.call(priceApi.create, { body: { model: `cache/${MODEL}`, channel_type: 25, ...price } });
    hasPrice = true;

    const made = await cache('5400s');
    expect(made).toMatchObject({ displayName: 'notes', usageMetadata: { totalTokenCount: 5000 } });
    const rates = ratesOf(price, 1);
    let cost = creditsFor(rates, { ...noUsage, input: 5000, output: 7500 });
    expect(await spent()).toBe(cost);
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({
      model_name: `cache/${MODEL}`,
      content: 'Cache of 5000 tokens for 5400 s: 7500 token-hours',
      metadata: { endpoint: '/gemini/cachedContents', usage_source: 'upstream' },
    });
    const name = made.name!;
    expect((await client().caches.list()).page).toMatchObject([{ name, displayName: 'notes' }]);
    expect(await client().caches.get({ name })).toMatchObject({ name });

    const before = await spent();
    const answered = await client().models.generateContent({
      model: MODEL,
      contents: 'and?',
      config: { cachedContent: name },
    });
    expect(answered.text).toBe('read');
    cost += (await spent()) - before;
    const theirs = client(other.key);
    const use = { model: MODEL, contents: 'and?', config: { cachedContent: name } };
    for (const steal of [
      () => theirs.caches.get({ name }),
      () => theirs.caches.delete({ name }),
      () => theirs.caches.update({ name, config: { ttl: '60s' } }),
      () => theirs.models.generateContent(use),
    ])
      expect(await statusOf(steal())).toBe(404);
    expect(await statusOf(theirs.models.generateContentStream(use))).toBe(404);
    expect((await theirs.caches.list()).page).toEqual([]);

    await client().caches.update({ name, config: { ttl: '60s' } });
    expect(await spent()).toBe(cost);
    await client().caches.update({ name, config: { ttl: '9000s' } });
    const longer = (await spent()) - cost;
    // An hour more than the time that was paid for, apart from the seconds of this test.
    expect(Math.abs(longer - creditsFor(rates, { ...noUsage, output: 5000 }))).toBeLessThanOrEqual(30);
    const paid = await spent();
    fails = true;
    expect(await statusOf(client().caches.update({ name, config: { ttl: '90000s' } }))).toBeGreaterThanOrEqual(500);
    expect(await statusOf(cache())).toBeGreaterThanOrEqual(500);
    fails = false;
    expect(await spent()).toBe(paid);
    await client().caches.update({ name, config: { ttl: '9000s' } });
    expect((await spent()) - paid).toBeLessThanOrEqual(30);
    await client().caches.delete({ name });
    expect(await statusOf(client().caches.get({ name }))).toBe(404);
  });

  test('cannot be cached for too long, without credits, or for more tokens than they have bytes', async () => {
    const create = (body: Json, key = who.key) => post(hub(), key, body, '/gemini/v1beta/cachedContents');
    const order = { model: `models/${MODEL}`, contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
    const refused: [Json, number][] = [
      [{ ...order, ttl: '0s' }, 400],
      [{ ...order, ttl: '60' }, 400],
      [{ ...order, ttl: '604801s' }, 400],
      [{ ...order, ttl: '60s', expireTime: new Date(Date.now() + 60_000).toISOString() }, 400],
      [{ ...order, expireTime: 'soon' }, 400],
      [{ ...order, model: 'gemini-unknown' }, 404],
      [{ contents: order.contents }, 400],
      [{ ...order, contents: [{ parts: [{ fileData: { fileUri: `${GOOGLE}files/foreign` } }] }] }, 404],
    ];
    for (const [body, status] of refused) expect([body, (await create(body)).status]).toEqual([body, status]);
    const poor = await addCaller(db(), { quota: 1 });
    const long = { ...order, contents: [{ parts: [{ text: 'word '.repeat(20_000) }] }], ttl: '604800s' };
    expect((await create(long, poor.key)).status).toBe(402);
    expect(raw().requests).toEqual([]);
    cacheTokens = 900_000_000;
    expect((await create(order)).status).toBe(200);
    const most = Buffer.byteLength(JSON.stringify(order));
    expect(await spent()).toBe(creditsFor(ratesOf(price, 1), { ...noUsage, input: most, output: most }));
    cacheTokens = undefined;
    expect((await create({ ...order, expireTime: new Date(Date.now() + 3_600_000).toISOString() })).status).toBe(200);
    expect((await rowsOf(db(), who)).at(-1)).toMatchObject({ metadata: { usage_source: 'estimate' } });
  });
});
