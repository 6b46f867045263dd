import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { needFixture } from '#providers/testing/fixtures.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import { roundTrip, until } from '#testing/until.ts';

const VERTEX = 42;
const TOKEN = 'ya29.a-token-of-an-hour';
const { embeddings, generations, 'embeddings in own': newer } = needFixture('vertex', 'channel').others!;
const embedding = embeddings!.model;
const imagen = generations!.model;
/** `predict` takes one text at a time, `embedContent` one content. */
const single = 'gemini-embedding-001';
const multimodal = newer!.model;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const place = (model: string, action = 'predict') =>
  `/v1/projects/my-project/locations/europe-west4/publishers/google/models/${model}:${action}`;

onOneDatabase('calls of Vertex AI that are no chats', (make) => {
  const hub = hubForSuite(make);
  const google = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;
  /** The next replies of the models. */
  let reply: (response: ServerResponse, body: Buffer) => void | Promise<void>;

  beforeAll(async () => {
    const price = { type: 'tokens' as const, channel_type: VERTEX, input: 3, output: 0, extra_ratios: {} };
    await hub().root.call(priceApi.create, { body: { model: embedding, ...price } });
    for (const model of [single, multimodal])
      await hub().root.call(priceApi.update, { params: { model }, body: { model, ...price } });
    await hub().root.call(priceApi.update, {
      params: { model: imagen },
      body: { model: imagen, ...price, type: 'times', input: 20 },
    });
    google().reply = (response, body) => {
      if (google().requests.at(-1)!.url === '/token') sendJson(response, { access_token: TOKEN, expires_in: 3599 });
      else void reply(response, body);
    };
    id = await addChannel(hub(), google().url, {
      type: VERTEX,
      name: 'vertex',
      models: [embedding, single, multimodal, imagen].join(','),
      other: 'europe-west4|my-project',
      key: JSON.stringify({
        type: 'service_account',
        client_email: 'relay@my-project.iam.gserviceaccount.com',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${google().url}/token`,
      }),
    });
  });
  beforeEach(async () => void (who = await addCaller(db())));
  afterEach(async () => {
    hub().server.deps.live.health.forget(id);
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const lastSent = () => google().requests.at(-1)!;
  const answerWith = (json: unknown, status = 200) => void (reply = (response) => sendJson(response, json, status));

  test('embeddings, as numbers and packed, are charged by the tokens of each text', async () => {
    answerWith(embeddings!.reply);
    const { text, status } = await post(hub(), who.key, embeddings!.request, '/v1/embeddings');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject(embeddings!.answer as object);
    expect(JSON.parse(lastSent().body.toString())).toEqual(embeddings!.sent);
    expect(lastSent().url).toBe(place(embedding));
    expect(lastSent().headers.authorization).toBe(`Bearer ${TOKEN}`);
    // The official client requests base64 and decodes it.
    const { data } = await clientOf(hub(), who.key).embeddings.create({ model: embedding, input: ['a', 'b'] });
    expect(data.map((one) => one.embedding)).toEqual([
      [expect.closeTo(0.1), expect.closeTo(0.2)],
      [expect.closeTo(0.3), expect.closeTo(0.4)],
    ]);
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({ quota: 9, prompt_tokens: 3, failed: false, metadata: { usage_source: 'upstream' } });
    expect(google().requests.filter(({ url }) => url === '/token')).toHaveLength(1);
  });

  /** Each text becomes a vector of its length; each letter is a token. */
  const predictLengths = (response: ServerResponse, body: Buffer, status = 200): void => {
    const { instances, content } = JSON.parse(body.toString()) as {
      instances?: { content: string }[];
      content?: { parts: { text: string }[] };
    };
    const vectorOf = (text: string) => [text.length, 0.5];
    if (content)
      return sendJson(response, {
        embedding: { values: vectorOf(content.parts[0]!.text) },
        usageMetadata: { promptTokenCount: content.parts[0]!.text.length },
      });
    const predictions = instances!.map(({ content: text }) => ({
      embeddings: { values: vectorOf(text), statistics: { token_count: text.length } },
    }));
    sendJson(response, status === 200 ? { predictions } : { error: { message: 'no more' } }, status);
  };
  const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff'];

  test.each([
    [single, 'predict'],
    [multimodal, 'embedContent'],
  ])('%s: texts go out one by one, come back in their order, and are charged once', async (model, action) => {
    const before = google().requests.length;
    reply = (response, body) => {
      // The first request is answered last.
      const waitMs = body.includes('"a"') ? 60 : 0;
      setTimeout(() => predictLengths(response, body), waitMs);
    };
    const { data, usage } = await clientOf(hub(), who.key).embeddings.create({
      model,
      input: texts,
      encoding_format: 'float',
      dimensions: 2,
    });
    expect(data.map(({ index, embedding: [length] }) => [index, length])).toEqual(texts.map((_, i) => [i, i + 1]));
    expect(usage).toEqual({ prompt_tokens: 21, total_tokens: 21 });
    const sent = google()
      .requests.slice(before)
      .filter(({ url }) => url === place(model, action));
    expect(sent).toHaveLength(texts.length);
    // The same for a caller with Google's own dialect and features.
    const requests = texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      taskType: 'CLUSTERING',
    }));
    const path = `/gemini/v1beta/models/${model}:batchEmbedContents`;
    const { text } = await post(hub(), who.key, { requests }, path);
    expect(JSON.parse(text)).toMatchObject({
      embeddings: texts.map((_, i) => ({ values: [i + 1, 0.5] })),
      usageMetadata: { promptTokenCount: 21 },
    });
    expect(lastSent().body.toString()).toContain('"CLUSTERING"');
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({
        quota: 63,
        prompt_tokens: 21,
        metadata: { usage_source: 'upstream', attempts: [{ status: 200, result: 'ok' }] },
      });
  });

  test('pictures and what is unknown here reach the newer models, in a batch too', async () => {
    const image = { parts: [{ inlineData: { mimeType: 'image/png', data: 'aW1n' } }] };
    const one = (n: number) => ({ content: image, taskType: 'CLUSTERING', unknown: n });
    reply = (response, body) => {
      const { unknown } = JSON.parse(body.toString()) as { unknown: number };
      const details = [{ modality: 'IMAGE', tokenCount: 5 }];
      const usageMetadata = { promptTokenCount: 5, promptTokenDetails: details };
      sendJson(response, { embedding: { values: [unknown], more: 1 }, usageMetadata });
    };
    const ask = (body: unknown, action: string) =>
      post(hub(), who.key, body, `/gemini/v1beta/models/${multimodal}:${action}`);
    expect(JSON.parse((await ask(one(1), 'embedContent')).text)).toMatchObject({ embedding: { values: [1], more: 1 } });
    expect(lastSent().url).toBe(place(multimodal, 'embedContent'));
    expect(JSON.parse(lastSent().body.toString())).toEqual(one(1));
    await ask({ model: `models/${multimodal}`, ...one(1) }, 'embedContent');
    expect(JSON.parse(lastSent().body.toString())).toEqual(one(1));
    const requests = [1, 2, 3].map((n) => ({ model: `models/${multimodal}`, ...one(n) }));
    const batch = await ask({ requests }, 'batchEmbedContents');
    expect(JSON.parse(batch.text)).toEqual({
      embeddings: [1, 2, 3].map((n) => ({ values: [n], more: 1 })),
      usageMetadata: { promptTokenCount: 15, totalTokenCount: 15 },
    });
    expect(JSON.parse(lastSent().body.toString())).not.toHaveProperty('model');
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 15 },
      { quota: 15, metadata: { input_image_tokens: 5, usage_source: 'upstream' } },
      { quota: 45, metadata: { input_image_tokens: 15, usage_source: 'upstream' } },
    ]);
    expect((await ask({ requests: Array(251).fill(requests[0]) }, 'batchEmbedContents')).status).toBe(400);
  });

  test('one text that fails fails the call, which costs nothing; too many are refused', async () => {
    reply = (response, body) => predictLengths(response, body, body.includes('"ccc"') ? 400 : 200);
    const refused = await post(hub(), who.key, { model: single, input: texts }, '/v1/embeddings');
    expect(refused.status).toBe(400);
    expect(errorOf(refused).message).toContain('no more');
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, failed: true, metadata: { attempts: [{ status: 400 }] } },
    ]);
    const many = await post(hub(), who.key, { model: single, input: Array(251).fill('a') }, '/v1/embeddings');
    expect([many.status, errorOf(many).param]).toEqual([400, 'input']);
  });

  test('a caller who leaves pays for the texts already sent, and no more are sent', async () => {
    const leaving = new AbortController();
    let asked = 0;
    reply = async (response, body) => {
      asked++;
      if (asked === 4) leaving.abort();
      await until('the caller has left', () => leaving.signal.aborted);
      await roundTrip(hub()); // the hub has noticed
      predictLengths(response, body);
    };
    const input = Array<string>(20).fill('abc');
    await expect(
      post(hub(), who.key, { model: single, input }, '/v1/embeddings', { signal: leaving.signal }),
    ).rejects.toThrow();
    await expect.poll(() => rowsOf(db(), who), { message: 'rows of the caller' }).toHaveLength(1);
    expect(asked).toBeLessThan(20);
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: asked * 9, metadata: { outcome: 'client_gone' } }]);
  });

  test('numbers of another vendor’s vocabulary are refused before anything is sent', async () => {
    const before = google().requests.length;
    const refused = await post(hub(), who.key, { model: embedding, input: [1, 2, 3] }, '/v1/embeddings');
    expect(refused.status).toBe(400);
    expect(errorOf(refused)).toMatchObject({ param: 'input' });
    expect(google().requests).toHaveLength(before);
    expect(await rowsOf(db(), who)).toEqual([]);
  });

  test('pictures are charged by how many came', async () => {
    answerWith(generations!.reply);
    const { data } = await clientOf(hub(), who.key).images.generate({
      model: imagen,
      prompt: 'a cat',
      n: 2,
      size: '1792x1024',
    });
    expect(data?.map((one) => one.b64_json)).toEqual(['aW1n', 'aW1o']);
    expect(JSON.parse(lastSent().body.toString())).toEqual(generations!.sent);
    expect(lastSent().url).toBe(place(imagen));
    // One of three was held back by the filter.
    await clientOf(hub(), who.key).images.generate({ model: imagen, prompt: 'cats', n: 3 });
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 40_000, metadata: { units: 2, reserved: 40_000 } },
      { quota: 40_000, metadata: { units: 2, reserved: 60_000 } },
    ]);
  });

  test.each([
    ['all pictures were held back', 200, {}, 502, 'bad_reply'],
    ['a prompt is refused in words', 200, { predictions: [{ raiFilteredReason: 'not this' }] }, 400, 'content_filter'],
    [
      'the account may not',
      403,
      { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } },
      502,
      'upstream_status',
    ],
    [
      'too many',
      429,
      [{ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }],
      429,
      'upstream_status',
    ],
    [
      'a wrong argument',
      400,
      { error: { code: 400, message: 'one text only', status: 'INVALID_ARGUMENT' } },
      400,
      'upstream_status',
    ],
  ])('%s: it is told, and costs nothing', async (_, status, json, told, result) => {
    answerWith(json, status);
    const refused = await post(hub(), who.key, { model: imagen, prompt: 'x' }, '/v1/images/generations');
    expect(refused.status).toBe(told);
    expect(errorOf(refused).message).not.toContain(TOKEN);
    // A fault of the prompt must not close a channel to others.
    const frozen = hub().server.deps.live.restsUntil(id, Date.now()) > 0;
    expect(frozen).toBe(told !== 400);
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, failed: true, metadata: { attempts: [{ status, result }] } },
    ]);
  });
});
