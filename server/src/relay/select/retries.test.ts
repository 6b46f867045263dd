import { channelApi, optionApi, priceApi, userGroupApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, errorOf, hello, post } from '#testing/relay-calls.ts';
import type { Behaviour } from '#upstream-simulator/behaviour.ts';

const streamed = { ...hello, stream: true };

onOneDatabase('retries', (make) => {
  const hub = hubForSuite(make);
  const first = upstreamForSuite();
  const second = upstreamForSuite();
  const db = () => hub().server.deps.db;
  const live = () => hub().server.deps.live;
  let who: TestCaller;
  let ids: number[];

  const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });

  beforeAll(async () => {
    // By priority, so the order is known.
    ids = [
      await addChannel(hub(), first().url, { name: 'first', priority: 9 }),
      await addChannel(hub(), second().url, { name: 'second', priority: 1 }),
    ];
  });
  beforeEach(async () => {
    who = await addCaller(db());
  });
  afterEach(async () => {
    for (const id of ids) live().health.forget(id);
    for (const upstream of [first(), second()]) upstream.behaviour = {};
    await set('RetryTimes', '2');
    await set('RetryCooldownSeconds', '5');
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  const attempts = async () => (await rowsOf(db(), who)).map(({ metadata }) => metadata?.attempts);

  test.each<[string, Behaviour, object]>([
    ['cannot be reached', { fault: 'refuse' }, { status: 0, result: 'connect_failed' }],
    ['breaks down', { status: 500 }, { status: 500, result: 'upstream_status' }],
    ['has too much to do', { status: 429 }, { status: 429, result: 'upstream_status' }],
    ['refuses the key', { status: 401 }, { status: 401, result: 'upstream_status' }],
    ['does not know the model', { status: 404 }, { status: 404, result: 'upstream_status' }],
    ['answers an error with status 200', { fault: 'errorBody200' }, { status: 200, result: 'error_in_reply' }],
    ['answers a web page', { fault: 'html' }, { status: 502, result: 'upstream_status' }],
  ])('a channel that %s is followed by the next, and the row tells both', async (_, fault, attempt) => {
    for (const body of [hello, streamed]) {
      first().behaviour = fault;
      const answer = await post(hub(), who.key, body);
      expect(answer.status).toBe(200);
      for (const id of ids) live().health.forget(id);
    }
    for (const told of await attempts())
      expect(told).toMatchObject([
        { channel_id: ids[0], channel_name: 'first', ...attempt, next: 'retried' },
        { channel_id: ids[1], channel_name: 'second', status: 200, result: 'ok' },
      ]);
    for (const row of await rowsOf(db(), who)) expect(row).toMatchObject({ channel_id: ids[1], failed: false });
    const errors = await db()
      .selectFrom('channels')
      .where('id', 'in', ids)
      .select('last_error')
      .orderBy('id')
      .execute();
    expect(errors).toEqual([{ last_error: expect.stringMatching(/./) }, { last_error: '' }]);
  });

  describe('another channel at which the model is a dearer one', () => {
    /** The prompt is estimated at 9 tokens: 9 × 0.075 + 100 × 0.3 at the first channel, 9 × 1.25 + 100 × 5 at the second. */
    const [CHEAP, DEAR] = [31, 512];
    const short = { ...hello, max_tokens: 100 };

    beforeAll(async () => {
      const price = { type: 'tokens', channel_type: 1 } as const;
      await hub().root.call(priceApi.create, { body: { ...price, model: 'cheap-one', input: 0.075, output: 0.3 } });
      await hub().root.call(priceApi.create, { body: { ...price, model: 'free-one', input: 0, output: 0 } });
      for (const cheap of ['cheap-one', 'free-one']) {
        const mapping = { models: `by-${cheap}`, model_mapping: JSON.stringify({ [`by-${cheap}`]: cheap }) };
        ids.push(await addChannel(hub(), first().url, { ...mapping, priority: 9 }));
        const dear = { models: `by-${cheap}`, model_mapping: JSON.stringify({ [`by-${cheap}`]: 'gpt-4o' }) };
        ids.push(await addChannel(hub(), second().url, { ...dear, priority: 1 }));
      }
    });

    test.each([
      ['cheap-one', { quota: CHEAP }],
      ['cheap-one', { quota: DEAR - 1 }],
      ['free-one', { quota: 0 }],
      ['cheap-one', { remain: DEAR - 1 }],
    ])('is not asked for a caller who cannot pay for it: after %s, with %j', async (cheap, credits) => {
      const poor = await addCaller(db(), credits);
      const before = second().requests.total;
      first().next({ status: 500 });
      expect((await post(hub(), poor.key, { ...short, model: `by-${cheap}` })).status).toBe(500);
      expect(second().requests.total).toBe(before);
      expect(await rowsOf(db(), poor)).toMatchObject([
        { quota: 0, metadata: { outcome: 'failed', attempts: [{ next: 'no_other_channel' }] } },
      ]);
    });

    test.each(['cheap-one', 'free-one'])('after %s is reserved for, and paid, by one who can', async (cheap) => {
      const able = await addCaller(db(), { quota: DEAR, remain: DEAR });
      first().next({ status: 500 });
      second().next({ delayMs: 100, usage: { prompt_tokens: 100, completion_tokens: 10 } });
      const before = second().requests.total;
      const answer = post(hub(), able.key, { ...short, model: `by-${cheap}` });
      await second().requests.waitFor(() => second().requests.total > before);
      // The whole balance is reserved meanwhile.
      expect((await post(hub(), able.key, short)).status).toBe(402);
      expect((await answer).status).toBe(200);
      expect(await rowsOf(db(), able)).toMatchObject([
        { quota: 175, model_name: 'gpt-4o', metadata: { reserved: DEAR, attempts: [{ next: 'retried' }, {}] } },
      ]);
    });
  });

  test('a client’s own mistake is refused at once', async () => {
    for (const status of [400, 409, 422]) {
      const before = second().requests.total;
      first().next({ status });
      expect((await post(hub(), who.key, hello)).status).toBe(status);
      expect(second().requests.total).toBe(before);
    }
    for (const told of await attempts()) expect(told).toMatchObject([{ next: 'not_retryable', cause: 'request' }]);
    expect(live().health.untroubled).toBe(true);
  });

  test('a request too large for one channel is tried at another and counts against neither', async () => {
    first().next({ status: 413 });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect(await attempts()).toMatchObject([[{ status: 413, cause: 'request', next: 'retried' }, { result: 'ok' }]]);
    expect(live().health.untroubled).toBe(true);
  });

  test('nothing is tried again once a byte has reached the caller', async () => {
    const before = second().requests.total;
    first().next({ fault: 'cutMidChunk', chunks: 6, chunkMs: 5 });
    const answer = await post(hub(), who.key, streamed);
    expect(answer.text).toContain('stream_broken');
    expect(answer.text).not.toContain('[DONE]');
    expect(second().requests.total).toBe(before);
    expect(await rowsOf(db(), who)).toMatchObject([
      { channel_id: ids[0], failed: true, metadata: { outcome: 'broken' } },
    ]);
  });

  test('when all channels have failed, the caller gets the last refusal and the row says why it was the last', async () => {
    first().behaviour = { status: 500 };
    second().behaviour = { status: 503, headers: { 'retry-after': '7' } };
    const answer = await post(hub(), who.key, hello);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(await attempts()).toMatchObject([[{ next: 'retried' }, { next: 'no_other_channel' }]]);
    expect(await rowsOf(db(), who)).toMatchObject([{ quota: 0, failed: true }]);
  });

  test('RetryTimes bounds the attempts; 0 makes one', async () => {
    await set('RetryTimes', '0');
    first().next({ status: 500 });
    expect((await post(hub(), who.key, hello)).status).toBe(500);
    expect(await attempts()).toMatchObject([[{ next: 'out_of_attempts' }]]);
  });

  test('a failed channel is passed over while it is frozen, and used when there is no other', async () => {
    first().next({ status: 500 });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    const counted = [first().requests.total, second().requests.total];
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect([first().requests.total, second().requests.total]).toEqual([counted[0], counted[1]! + 1]);
    // The second fails too, so the frozen one is tried.
    second().next({ status: 500 });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect((await attempts()).at(-1)).toMatchObject([
      { channel_name: 'second', next: 'retried' },
      { channel_name: 'first', result: 'ok' },
    ]);
    // And is healthy again.
    expect(live().health.of(ids[0]!, 'gpt-4o', Date.now()).health).toBe('well');
    // Another model of the same channel was never frozen.
    live().health.failed(ids[0]!, 'gpt-4o', { cooldownMs: 5000, now: Date.now() });
    await post(hub(), who.key, { ...hello, model: 'gpt-4o-mini' });
    expect((await rowsOf(db(), who)).at(-1)).toMatchObject({ channel_id: ids[0] });
  });

  test('an upstream’s Retry-After is honoured: nothing is sent, and the caller gets a 429 with the wait', async () => {
    for (const upstream of [first(), second()]) upstream.next({ status: 429, headers: { 'retry-after': '3600' } });
    const limited = await post(hub(), who.key, hello);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    const counted = [first().requests.total, second().requests.total];
    const refused = await post(hub(), who.key, hello);
    expect(refused.status).toBe(429);
    expect(errorOf(refused)).toMatchObject({ code: 'upstream_rate_limited', type: 'rate_limit_error' });
    // Clients sleep for the whole wait, so the upstream's hour is not passed on.
    expect(refused.headers.get('retry-after')).toBe('30');
    expect([first().requests.total, second().requests.total]).toEqual(counted);
    expect(await rowsOf(db(), who)).toHaveLength(1);
  });

  test('only administrators may pin or exclude a channel by the key', async () => {
    const { key } = await addToken(hub());
    const counted = () => [first().requests.total, second().requests.total];
    const before = counted();
    await clientOf(hub(), `${key}#${ids[1]}`).chat.completions.create(hello);
    await clientOf(hub(), `${key}#!${ids[0]}`).chat.completions.create(hello);
    expect(counted()).toEqual([before[0], before[1]! + 2]);
    // A pinned channel that fails is not followed by another.
    second().next({ status: 500 });
    expect((await post(hub(), `${key}#${ids[1]}`, hello)).status).toBe(500);
    expect((await post(hub(), `${key}#999`, hello)).status).toBe(503);
    for (const suffix of ['#', '#0', '#x', '#!', `#${ids[0]}#else`])
      expect((await post(hub(), key + suffix, hello)).status).toBe(403);
    expect((await post(hub(), `${who.key}#${ids[1]}`, hello)).status).toBe(403);
  });

  test('a pinned channel is used whatever its group, models, features and health', async () => {
    const { key } = await addToken(hub());
    await hub().root.call(userGroupApi.create, { body: { symbol: 'others', name: 'others' } });
    const more = { group: 'others', models: 'another-model', only_chat: true, disabled_stream: ['gpt-*'] };
    const id = await addChannel(hub(), second().url, more);
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    const counted = second().requests.total;
    live().health.failed(id, 'gpt-4o', { cooldownMs: 0, retryAfterMs: 60_000, now: Date.now() });
    expect((await post(hub(), `${key}#${id}`, { ...hello, tools, stream: true })).status).toBe(200);
    expect(second().requests.total).toBe(counted + 1);
    await hub().root.call(channelApi.update, { body: { id, status: 2 } });
    const refused = await post(hub(), `${key}#${id}`, hello);
    expect(refused.status).toBe(503);
    expect(errorOf(refused)).toMatchObject({ code: 'no_available_channel', message: expect.stringContaining(`${id}`) });
    expect((await post(hub(), `${key}#${ids[1]}`, { ...hello, model: 'nobody-has-priced' })).status).toBe(400);
    await hub().root.call(channelApi.remove, { params: { id } });
  });

  test('a channel whose name for the model has no price is passed over for one that has', async () => {
    const model_mapping = '{"gpt-4o":"nobody-has-priced"}';
    const id = await addChannel(hub(), second().url, { priority: 99, model_mapping });
    const counted = second().requests.total;
    first().next({ status: 500 });
    expect((await post(hub(), who.key, hello)).status).toBe(200);
    expect(second().requests.total).toBe(counted + 1);
    expect(second().requests.at(-1)!.body).toContain('"gpt-4o"');
    await hub().root.call(channelApi.remove, { params: { id } });
  });
});
