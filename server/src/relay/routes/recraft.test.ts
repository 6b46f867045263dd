import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { post } from '#testing/relay-calls.ts';

const RECRAFT = 51;
const QUOTA = 1_000_000;
const tools = ['vectorize', 'clarityUpscale', 'imageToImage', 'inpaint', 'styles'];
const image_url = 'https://pictures.example/a.png';

describe('Recraft’s own routes', () => {
  const hub = hubForSuite(newSqlite);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  const ids: number[] = [];
  let who: TestCaller;

  beforeAll(async () => {
    const models = ['recraftv3', ...tools.map((name) => `recraft_${name}`)].join(',');
    const model_mapping = JSON.stringify({ recraftv2: 'recraftv2_raster' });
    for (const name of ['first', 'second'])
      ids.push(await addChannel(hub(), `${upstream().url}/recraft`, { type: RECRAFT, name, models, model_mapping }));
    await addChannel(hub(), upstream().url, { type: 8, name: 'other', models: 'recraft_outpaint' });
    const price = { type: 'times' as const, channel_type: RECRAFT, input: 20, output: 20 };
    await hub().root.call(priceApi.create, { body: { model: 'recraftv3', ...price } });
  });
  beforeEach(async () => {
    who = await addCaller(db(), { quota: QUOTA });
    upstream().requests.clear();
  });
  afterEach(async () => {
    for (const id of ids) hub().server.deps.live.health.forget(id);
    await expectBooksBalance(db());
  });

  const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await post(hub(), who.key, body, `/recraftAI/v1/${path}`, { headers });
    return { ...answer, json: JSON.parse(answer.text) as Record<string, unknown> };
  };
  const sent = () => [...upstream().requests];
  const spent = async () => QUOTA - (await userOf(db(), who)).balance;

  test.each([
    ['images/vectorize', { image_url }, '/v1/images/vectorize', { image_url }, 5000],
    ['images/clarityUpscale', { image_url }, '/v1/images/crispUpscale', { image_url }, 2000],
    ['styles', { style: 'digital_illustration' }, '/v1/styles', { style: 'digital_illustration' }, 20_000],
    [
      'images/imageToImage',
      { image_url, n: 2 },
      '/v1/images/imageToImage',
      { image_url, n: 2, model: 'recraftv3' },
      40_000,
    ],
    [
      'images/inpaint',
      { image_url, model: 'recraftv2', style: 'vector_illustration' },
      '/v1/images/inpaint',
      { image_url, model: 'recraftv2_raster', style: 'vector_illustration' },
      40_000,
    ],
    // The reply's credits say that the caller's style is one of pixels.
    [
      'images/inpaint',
      { image_url, style_id: 's1' },
      '/v1/images/inpaint',
      { image_url, style_id: 's1', model: 'recraftv3' },
      20_000,
    ],
    [
      'images/generations',
      { prompt: 'a cat' },
      '/v1/images/generations',
      { prompt: 'a cat', model: 'recraftv3' },
      20_000,
    ],
  ])('%s %o goes to the vendor, and is charged per image', async (path, body, upstreamPath, upstreamBody, credits) => {
    const { status, json } = await call(path, body);
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json).toMatchObject({ credits: expect.any(Number) as number });
    expect(sent().map((request) => [request.path, JSON.parse(request.body), request.headers.authorization])).toEqual([
      [`/recraft${upstreamPath}`, upstreamBody, 'Bearer sk-upstream-key-0001'],
    ]);
    expect(await spent()).toBe(credits);
    const [log] = await rowsOf(db(), who);
    expect(log?.model_name).toBe(path.endsWith('generations') ? 'recraftv3' : `recraft_${path.split('/').at(-1)}`);
  });

  test.each([1000, 600_000])(
    'a form of %i bytes reaches the second channel as it was, after the first failed',
    async (size) => {
      upstream().intlVideos.next({ status: 500, message: 'It broke.' });
      const file = new Uint8Array(size).fill(0xa5);
      const form = new FormData();
      form.set('style', 'digital_illustration');
      form.set('image', new Blob([file], { type: 'image/png' }), 'a.png');
      const encoded = new Response(form);
      const type = encoded.headers.get('content-type') ?? '';
      const bytes = new Uint8Array(await encoded.arrayBuffer());
      const { status, json } = await call('images/vectorize', bytes, { 'content-type': type });
      expect(status, JSON.stringify(json)).toBe(200);
      expect(sent().map((request) => request.status)).toEqual([500, 200]);
      for (const { raw, headers } of sent()) {
        expect(raw.equals(Buffer.from(bytes))).toBe(true);
        expect(headers['content-type']).toBe(type);
      }
      expect(await spent()).toBe(5000);
    },
  );

  test('a form without a model is given the one that is priced', async () => {
    const form = new FormData();
    form.set('image', new Blob(['PNG'], { type: 'image/png' }), 'a.png');
    form.set('prompt', 'a cat');
    const encoded = new Response(form);
    const bytes = new Uint8Array(await encoded.arrayBuffer());
    await call('images/imageToImage', bytes, { 'content-type': encoded.headers.get('content-type') ?? '' });
    expect(sent()[0]?.body).toMatch(/name="model"\r\n\r\nrecraftv3\r\n/);
    expect(await spent()).toBe(20_000);
  });

  test.each([
    [{ image_url, model: 'recraftv4_pro' }, 'model'],
    [{ image_url, n: 100 }, 'n'],
    [{ prompt: 'a cat' }, 'image_url'],
  ])('%o is refused before it is sent', async (body, param) => {
    const { status, json } = await call('images/imageToImage', body);
    expect({ status, error: json['error'] }).toMatchObject({ status: 400, error: { param } });
    expect(sent()).toEqual([]);
  });

  test('refusals of the vendor have its form, the hub’s own are wrapped, and none is charged', async () => {
    const once = { status: 400, message: 'unknown style' };
    upstream().intlVideos.next(once);
    const refused = await call('images/vectorize', { image_url });
    expect(refused).toMatchObject({
      status: 400,
      json: {
        code: 'invalid_request_parameter',
        message: expect.stringContaining('unknown style') as string,
        type: 'upstream_error',
      },
    });
    expect(refused.json['error']).toBeUndefined();
    upstream().intlVideos.next({ answer: { credits: 10 } }, { answer: { credits: 10 } });
    expect(await call('images/vectorize', { image_url })).toMatchObject({
      status: 502,
      json: { code: 'bad_upstream_reply' },
    });
    // A channel of another vendor has no such tool.
    expect(await call('images/outpaint', { image_url })).toMatchObject({
      status: 400,
      json: { error: { code: 'unsupported_operation' } },
    });
    expect(await spent()).toBe(0);
    const poor = await addCaller(db(), { quota: 4999 });
    const unpaid = await post(hub(), poor.key, { image_url }, '/recraftAI/v1/images/vectorize');
    expect(unpaid.status).toBe(402);
    expect(JSON.parse(unpaid.text)).toMatchObject({ error: { code: 'insufficient_quota' } });
    const wrong = await post(hub(), 'sk-unknown', { image_url }, '/recraftAI/v1/images/vectorize');
    expect(wrong.status).toBe(401);
  });

  test('other paths of the vendor, such as its account, are not passed on', async () => {
    for (const path of ['users/me', 'images/vectorize/../users/me', 'images/explore'])
      expect((await post(hub(), who.key, {}, `/recraftAI/v1/${path}`)).status, path).toBe(404);
    expect((await post(hub(), who.key, undefined, '/recraftAI/v1/images/vectorize', { method: 'GET' })).status).toBe(
      405,
    );
    expect(sent()).toEqual([]);
  });
});
