import { channelApi, priceApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, post } from '#testing/relay-calls.ts';
import { type PredictionBehaviour, type ReplicateSimulator, startReplicate } from '#upstream-simulator/replicate.ts';

const model = 'meta/meta-llama-3-70b-instruct';
const said = 'Hello there\nfriend';
const hello = { model, messages: [{ role: 'user' as const, content: 'Hi' }] };
/** 1000 × 2 + 500 × 4 */
const COST = 4000;

onOneDatabase('chats on Replicate', (make) => {
  const hub = hubForSuite(make);
  let vendor: ReplicateSimulator;
  let who: TestCaller;
  let id = 0;

  beforeAll(async () => {
    vendor = await startReplicate();
    await hub().root.call(priceApi.create, {
      body: { model, type: 'tokens', channel_type: 52, input: 2, output: 4 },
    });
    id = await addChannel(hub(), vendor.url, { type: 52, key: 'r8_1', models: model, on_client_gone: 'abort' });
  });
  afterAll(() => vendor.close());
  beforeEach(async () => {
    who = await addCaller(hub().server.deps.db);
    Object.assign(vendor, { seen: [], cancelled: [], behaviour: {} });
  });
  afterEach(() => expectBooksBalance(hub().server.deps.db));

  async function onlyRow() {
    await expect.poll(() => rowsOf(hub().server.deps.db, who), { message: 'rows of the caller' }).toHaveLength(1);
    return (await rowsOf(hub().server.deps.db, who))[0]!;
  }
  async function streamed() {
    const stream = await clientOf(hub(), who.key).chat.completions.create({
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    return { text, usage };
  }
  const counted = { prompt_tokens: 1000, completion_tokens: 500 };
  const charged = { quota: COST, ...counted, metadata: { usage_source: 'upstream' } };

  test.each<PredictionBehaviour>([{ atOnce: true }, { pending: 1 }])(
    'a whole answer, exactly charged: %j',
    async (behaviour) => {
      vendor.behaviour = behaviour;
      const reply = await clientOf(hub(), who.key).chat.completions.create({ ...hello, max_tokens: 600, top_p: 0.5 });
      expect(reply.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: said } });
      expect(reply.usage).toMatchObject(counted);
      expect(vendor.seen[0]).toMatchObject({
        url: `/v1/models/${model}/predictions`,
        headers: { prefer: 'wait=5' },
        body: { input: { prompt: 'Hi', max_tokens: 600, top_p: 0.5 } },
      });
      expect(await onlyRow()).toMatchObject(charged);
      expect(vendor.cancelled).toEqual([]);
    },
  );

  test.each<[string, PredictionBehaviour]>([
    ['a stream', {}],
    ['a stream whose counters come late', { pending: 1 }],
    ['a stream that is cut is completed from the prediction', { cutAfter: 2 }],
    ['a model that does not stream', { streamUrl: null }],
  ])('%s, exactly charged', async (_, behaviour) => {
    vendor.behaviour = behaviour;
    expect(await streamed()).toMatchObject({ text: said, usage: counted });
    expect(await onlyRow()).toMatchObject(charged);
    expect(vendor.cancelled).toEqual([]);
  });

  test('a stream on another host gets neither a request nor the key', async () => {
    vendor.behaviour = { streamUrl: `${vendor.url.replace('127.0.0.1', 'localhost')}/stream/p1` };
    expect(await streamed()).toMatchObject({ text: said, usage: counted });
    expect(vendor.seen.map(({ url }) => url).filter((url) => url.startsWith('/stream/'))).toEqual([]);
  });

  test('without counters, the usual estimate is charged and marked', async () => {
    vendor.behaviour = { metrics: { predict_time: 1 } };
    expect(await streamed()).toMatchObject({ text: said });
    expect(await onlyRow()).toMatchObject({ failed: false, metadata: { usage_source: 'estimate' } });
  });

  test.each(['failed', 'canceled'] as const)('a prediction that is %s is an error and free', async (status) => {
    vendor.behaviour = { pending: 1, status, ...(status === 'failed' && { error: 'CUDA out of memory' }) };
    const refused = await post(hub(), who.key, hello);
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(errorOf(refused).message).toContain(status === 'failed' ? 'CUDA out of memory' : 'canceled');
    expect(await onlyRow()).toMatchObject({ quota: 0, failed: true });
  });

  test('a channel is tested with a prediction that takes its time', async () => {
    vendor.behaviour = { pending: 1 };
    const tested = hub().root.call(channelApi.test, { params: { id }, query: { model } });
    expect(await tested).toMatchObject({ model, answer: said });
  });

  test('a stream that fails ends with an error', async () => {
    vendor.behaviour = { status: 'failed', error: 'CUDA out of memory' };
    await expect(streamed()).rejects.toThrow('CUDA out of memory');
    expect(await onlyRow()).toMatchObject({ failed: true });
  });

  test.each([true, false])('is cancelled when its caller leaves, streamed: %s', async (stream) => {
    vendor.behaviour = { never: true, pending: 1_000_000 };
    const leaving = new AbortController();
    const call = fetch(`${hub().url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, stream }),
      signal: leaving.signal,
    });
    if (stream) await (await call).body!.getReader().read();
    else await expect.poll(() => vendor.seen.length, { message: 'requests at the vendor' }).toBeGreaterThan(1);
    leaving.abort();
    await call.catch(() => {});
    await expect.poll(() => vendor.cancelled, { message: 'predictions cancelled' }).toHaveLength(1);
    expect(await onlyRow()).toMatchObject({ metadata: { outcome: 'client_gone' } });
  });
});
