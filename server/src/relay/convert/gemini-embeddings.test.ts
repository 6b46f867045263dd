import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';

const SECRET = 'AIza-secret-0002';
const contentOf = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) });
const native = { embedding: { values: [0.1, 0.2] }, usageMetadata: { promptTokenCount: 9 }, unknown: ['ü'] };
const openList = {
  object: 'list',
  data: [
    { object: 'embedding', index: 1, embedding: [0.3, 0.4] },
    { object: 'embedding', index: 0, embedding: [0.1, 0.2] },
  ],
  model: 'm',
  usage: { prompt_tokens: 9, total_tokens: 9 },
};

onOneDatabase('embedContent and batchEmbedContents', (make) => {
  const hub = hubForSuite(make);
  const upstream = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  const ids: number[] = [];
  let who: TestCaller;

  beforeAll(async () => {
    const price = { type: 'tokens' as const, channel_type: 25, input: 3, output: 0 };
    await hub().root.call(priceApi.create, { body: { model: 'e-*', ...price } });
    const google = { type: 25, key: SECRET, models: 'e-google,e-mapped', model_mapping: '{"e-mapped":"+e-real"}' };
    ids.push(await addChannel(hub(), upstream().url, google));
    await addChannel(hub(), upstream().url, { type: 25, key: SECRET, models: 'e-blind', excluded: ['images'] });
    ids.push(await addChannel(hub(), upstream().url, { type: 8, key: SECRET, models: 'e-open' }));
    await addChannel(hub(), upstream().url, { type: 8, key: SECRET, models: 'e-wild*' });
  });
  beforeEach(async () => void (who = await addCaller(db())));
  afterEach(async () => {
    for (const id of ids) hub().server.deps.live.health.forget(id);
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const ask = (model: string, body: unknown, action = 'embedContent', version = 'v1beta') =>
    post(hub(), undefined, body, `/gemini/${version}/models/${model}:${action}`, {
      headers: { 'x-goog-api-key': who.key },
    });
  const answerWith = (json: unknown, status = 200) =>
    void (upstream().reply = (response) => sendJson(response, json, status));
  const lastSent = () => upstream().requests.at(-1)!;
  const lastJson = () => JSON.parse(lastSent().body.toString()) as unknown;

  test('pass through byte for byte at Gemini itself, under the version that the caller named', async () => {
    answerWith(native);
    const body = `{ "content": ${JSON.stringify(contentOf('hello'))},  "taskType": "RETRIEVAL_QUERY", "new": 1.0 }`;
    const { status, text } = await ask('e-google', body, 'embedContent', 'v1');
    expect([status, text]).toEqual([200, JSON.stringify(native)]);
    expect(lastSent()).toMatchObject({
      url: '/v1/models/e-google:embedContent',
      body: Buffer.from(body),
      headers: { 'x-goog-api-key': SECRET },
    });
    expect(await rowsOf(db(), who)).toMatchObject([
      {
        quota: 27,
        prompt_tokens: 9,
        completion_tokens: 0,
        metadata: { usage_source: 'upstream', endpoint: '/gemini/v1/models/:embedContent' },
      },
    ]);
  });

  test('of many texts, and long ones, find their usage at the end', async () => {
    const long = { embeddings: Array.from({ length: 300 }, () => ({ values: Array(300).fill(0.25) })) };
    answerWith({ ...long, usageMetadata: { promptTokenCount: 11, promptTokensDetails: [{ modality: 'TEXT' }] } });
    const requests = [{ model: 'models/e-google', content: contentOf('a') }];
    const { text } = await ask('e-google', { requests }, 'batchEmbedContents');
    expect(JSON.parse(text)).toMatchObject(long);
    expect(lastSent().url).toBe('/v1beta/models/e-google:batchEmbedContents');
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 33, metadata: { usage_source: 'upstream' } }]);
  });

  test.each([
    ['a name that no log row can hold', 'e-wild%00'],
    ['a name that no index can hold', `e-wild${'x'.repeat(5000)}`],
  ])('%s is refused, and not served free of charge', async (_, model) => {
    answerWith(openList);
    const before = upstream().requests.length;
    expect((await ask(model, { content: contentOf('a') })).status).toBe(400);
    expect(upstream().requests.length).toBe(before);
  });

  test('name the model as the channel calls it, wherever the name stands', async () => {
    answerWith({ embeddings: [{ values: [1] }] });
    const one = (text: string) => ({ model: 'models/e-mapped', content: contentOf(text), taskType: 'CLUSTERING' });
    await ask('e-mapped', { requests: [one('a'), one('b')] }, 'batchEmbedContents');
    expect(lastSent().url).toBe('/v1beta/models/e-real:batchEmbedContents');
    expect(lastJson()).toEqual({ requests: [one('a'), one('b')].map((each) => ({ ...each, model: 'models/e-real' })) });
    await ask('e-mapped', one('a'));
    expect(lastJson()).toEqual({ ...one('a'), model: 'models/e-real' });
    await ask('e-mapped', { content: contentOf('a') });
    expect(lastJson()).toEqual({ content: contentOf('a') });
    // Without reported usage it is estimated and labelled as such.
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({ model_name: 'e-mapped', metadata: { usage_source: 'estimate' } });
  });

  test('are converted to OpenAI’s format, one or many, and back to Gemini’s', async () => {
    answerWith(openList);
    const wish = { taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 2 };
    const single = await ask('e-open', { content: contentOf('a', 'b'), embed_content_config: wish });
    expect(lastSent().url).toBe('/v1/embeddings');
    expect(lastSent().headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(lastJson()).toEqual({ model: 'e-open', input: 'a\nb', dimensions: 2 });
    const usageMetadata = { promptTokenCount: 9, totalTokenCount: 9 };
    expect(JSON.parse(single.text)).toEqual({ embedding: { values: [0.1, 0.2] }, usageMetadata });
    const requests = ['a', 'b'].map((text) => ({ model: 'models/e-open', content: contentOf(text), ...wish }));
    const batch = await ask('e-open', { requests }, 'batchEmbedContents');
    expect(lastJson()).toEqual({ model: 'e-open', input: ['a', 'b'], dimensions: 2 });
    expect(JSON.parse(batch.text)).toEqual({
      embeddings: [{ values: [0.1, 0.2] }, { values: [0.3, 0.4] }],
      usageMetadata,
    });
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({ quota: 27, failed: false, metadata: { usage_source: 'upstream' } });
  });

  test('base64 vectors are decoded; missing usage is reported as charged', async () => {
    const embedding = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
    answerWith({ data: [{ index: 0, embedding }] });
    const { text } = await ask('e-open', { content: contentOf('hello there') });
    const told = JSON.parse(text) as { usageMetadata: { promptTokenCount: number } };
    expect(told).toMatchObject({ embedding: { values: [0.5, -1] } });
    const [row] = await rowsOf(db(), who);
    expect(row).toMatchObject({
      metadata: { usage_source: 'estimate' },
      quota: 3 * told.usageMetadata.promptTokenCount,
    });
    expect(row!.quota).toBeGreaterThan(0);
  });

  const image = { inlineData: { mimeType: 'image/png', data: 'aW1n' } };
  test.each<[string, unknown, RegExp]>([
    ['embedContent', {}, /'content' is required/],
    ['batchEmbedContents', {}, /'requests' is required/],
    ['batchEmbedContents', { requests: [] }, /at least one/],
    ['batchEmbedContents', { requests: [{}] }, /'requests.0.content' is required/],
    ['embedContent', { content: { parts: [image] } }, /texts only/],
    [
      'batchEmbedContents',
      { requests: [{ content: contentOf('a') }, { content: contentOf('b'), outputDimensionality: 9 }] },
      /'requests.1.outputDimensionality' must be the same/,
    ],
  ])('%s of %j is refused in Google’s words before anything is sent', async (action, body, message) => {
    const before = upstream().requests.length;
    const { status, text } = await ask('e-open', body, action);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringMatching(message) },
    });
    expect(upstream().requests).toHaveLength(before);
    expect(await rowsOf(db(), who)).toEqual([]);
  });

  test('endless nesting and other malformed requests are refused', async () => {
    const nested = '['.repeat(50_000) + ']'.repeat(50_000);
    const deep = `{"model":"models/e-mapped","content":{"parts":[{"text":"a","functionCall":{"args":${nested}}}]}}`;
    for (const model of ['e-mapped', 'e-open']) {
      const { status, text } = await ask(model, deep.replace('"text":"a",', ''));
      expect([status, JSON.parse(text)]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
    }
    expect((await ask('e-mapped', deep)).status).toBe(400);
    for (const odd of [null, 1, [], 'x', { content: 1 }, { content: { parts: [null] } }, { content: [] }])
      expect((await ask('e-open', odd === 'x' ? '"x"' : odd)).status).toBe(400);
  });

  test('a picture goes to a model that may know pictures, and to no channel that is set to take none', async () => {
    answerWith(native);
    const body = { content: { parts: [image] } };
    expect((await ask('e-google', body)).status).toBe(200);
    expect((await ask('e-blind', body)).status).toBe(404);
  });

  test.each([
    ['e-google', { error: { code: 400, message: 'too long', status: 'INVALID_ARGUMENT' } }, 400, 400],
    ['e-google', { error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }, 429, 429],
    [
      'e-google',
      { error: { code: 400, message: `bad ${SECRET}`, details: [{ reason: 'API_KEY_INVALID' }] } },
      400,
      502,
    ],
    ['e-google', 'no JSON', 200, 502],
    ['e-open', { error: { message: 'not this' } }, 200, 502],
    ['e-open', { data: [] }, 200, 502],
  ])('%s answers %j: it is told as Google would, and costs nothing', async (model, json, status, told) => {
    answerWith(json, status);
    const refused = await ask(model, { content: contentOf('a') });
    expect(refused.status).toBe(told);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: told } });
    expect(refused.text).not.toContain(SECRET);
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 0, failed: true }]);
  });
});
