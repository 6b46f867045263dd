import { generateKeyPairSync } from 'node:crypto';
import { priceApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { needFixture } from '#providers/testing/fixtures.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/raw-upstream.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';

const VERTEX = 42;
const TOKEN = 'ya29.a-token-of-an-hour';
const { embeddings, generations } = needFixture('vertex', 'channel').others!;
const embedding = embeddings!.model;
const imagen = generations!.model;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const place = (model: string) =>
  `/v1/projects/my-project/locations/europe-west4/publishers/google/models/${model}:predict`;

onEveryDatabase('calls of Vertex AI that are no chats', (make) => {
  const hub = hubForSuite(make);
  const google = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let id = 0;
  /** What `predict` answers next. */
  let predicted: { status: number; json: unknown };

  beforeAll(async () => {
    const price = { type: 'tokens' as const, channel_type: VERTEX, input: 3, output: 0 };
    await hub().root.call(priceApi.create, { body: { model: embedding, ...price } });
    await hub().root.call(priceApi.create, { body: { model: imagen, ...price, type: 'times', input: 20 } });
    google().reply = (response) => {
      if (google().requests.at(-1)!.url === '/token') sendJson(response, { access_token: TOKEN, expires_in: 3599 });
      else sendJson(response, predicted.json, predicted.status);
    };
    id = await addChannel(hub(), google().url, {
      type: VERTEX,
      name: 'vertex',
      models: `${embedding},${imagen}`,
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
  const answerWith = (json: unknown, status = 200) => void (predicted = { status, json });

  test('embeddings, as numbers and packed, are charged by the tokens of each text', async () => {
    answerWith(embeddings!.reply);
    const { text, status } = await post(hub(), who.key, embeddings!.request, '/v1/embeddings');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject(embeddings!.answer as object);
    expect(JSON.parse(lastSent().body.toString())).toEqual(embeddings!.sent);
    expect(lastSent().url).toBe(place(embedding));
    expect(lastSent().headers.authorization).toBe(`Bearer ${TOKEN}`);
    // The official client asks for base64, and unpacks it.
    const { data } = await clientOf(hub(), who.key).embeddings.create({ model: embedding, input: ['a', 'b'] });
    expect(data.map((one) => one.embedding)).toEqual([
      [expect.closeTo(0.1), expect.closeTo(0.2)],
      [expect.closeTo(0.3), expect.closeTo(0.4)],
    ]);
    for (const row of await rowsOf(db(), who))
      expect(row).toMatchObject({ quota: 9, prompt_tokens: 3, failed: false, metadata: { usage_source: 'upstream' } });
    expect(google().requests.filter(({ url }) => url === '/token')).toHaveLength(1);
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
    ['a prompt is refused in words', 200, { predictions: [{ raiFilteredReason: 'not this' }] }, 400, 'error_in_reply'],
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
    // What the prompt is to blame for closes no channel to others.
    const frozen = hub().server.deps.live.health.frozenUntil(id, Date.now()) > 0;
    expect(frozen).toBe(told !== 400);
    expect(await rowsOf(db(), who)).toMatchObject([
      { quota: 0, failed: true, metadata: { attempts: [{ status, result }] } },
    ]);
  });
});
