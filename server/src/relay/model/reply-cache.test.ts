import { EventEmitter } from 'node:events';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import {
  channelApi,
  type InputOf,
  noLimits,
  replyCacheApi,
  tokenApi,
  userAdminApi,
  userGroupApi,
} from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import type { HttpContext, RelayCall } from '#relay/types/call-types.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, addKey, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { type EmptyDatabase, type MakeDatabase, onOneDatabase } from '#testing/databases.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { addChannel, liftRates, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { hasRedis, redisForSuite } from '#testing/redis.ts';
import { hello, post, type RelayResponse } from '#testing/relay-calls.ts';
import { type CachedReply, sendStream } from './cached-replies.ts';

type Body = Record<string, unknown>;

const turn = { role: 'user', content: 'hello' };
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];
const gemini = '/gemini/v1beta/models/gpt-4o';

/** Each dialect with and without a stream. */
const dialects: [name: string, path: string, body: Body][] = [
  ['a chat', '/v1/chat/completions', { model: 'gpt-4o', messages: [turn] }],
  ['a stream of a chat', '/v1/chat/completions', { model: 'gpt-4o', messages: [turn], stream: true }],
  ['a completion', '/v1/completions', { model: 'gpt-4o', prompt: 'hello' }],
  ['a response', '/v1/responses', { model: 'gpt-4o', input: 'hello', store: false }],
  ['a stream of a response', '/v1/responses', { model: 'gpt-4o', input: 'hello', store: false, stream: true }],
  ['a message', '/v1/messages', { model: 'gpt-4o', messages: [turn], max_tokens: 50 }],
  ['a stream of a message', '/v1/messages', { model: 'gpt-4o', messages: [turn], max_tokens: 50, stream: true }],
  ['generateContent', `${gemini}:generateContent`, { contents }],
  ['a stream of Gemini', `${gemini}:streamGenerateContent?alt=sse`, { contents }],
  ['a list of Gemini', `${gemini}:streamGenerateContent`, { contents }],
  ['embeddings', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'hello' }],
];

/** Two nodes on one database, with the reply cache on. */
function nodesForSuite(make: MakeDatabase, env: () => Record<string, string> = () => ({})) {
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  const upstream = upstreamForSuite();
  let serial = 0;
  const numbered = () => ({ text: `This is the answer with number ${++serial}.` });
  beforeAll(async () => {
    database = await make();
    here = await startHub(database, env());
    there = await startHub(database, env());
    await liftRates(here.root);
    await setOptions(here.root, { ReplyCacheEnabled: 'true' });
    await there.server.deps.live.changed('settings');
    upstream().behaviour = numbered;
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });
  const settled = () => Promise.all([here, there].map(({ server }) => server.deps.replyCache.settled()));
  return {
    upstream,
    here: () => here,
    there: () => there,
    settled,
    numbered,
    db: () => here.server.deps.db,
    /** Calls, and waits until the reply is kept. */
    async call(key: string, body: unknown, path?: string, headers?: Record<string, string>, node = here) {
      const answer = await post(node, key, body, path, headers && { headers });
      await settled();
      return answer;
    },
    /** A caller whose token has the switch. */
    async caller(more: Parameters<typeof addCaller>[1] = {}): Promise<TestCaller> {
      const who = await addCaller(here.server.deps.db, more);
      await switched(here, who.tokenId);
      return who;
    },
  };
}

const switched = ({ server }: TestHub, id: number) =>
  server.deps.db.updateTable('tokens').set({ enable_cache: true }).where('id', '=', id).execute();

const cacheOf = ({ headers }: RelayResponse): string | null => headers.get('x-relay-cache');

test.each([
  ['original', ['one'], ['one', 'two'], ['one', 'two', 'three']],
  ['once', ['onetwothree'], ['onetwothree'], ['onetwothree']],
] as const)('a stream of the pace `%s` is sent piece by piece, or whole', async (pace, ...expected) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  const write = (bytes: Buffer) => void written.push(bytes.toString());
  const response = Object.assign(new EventEmitter(), { destroyed: false, writeHead() {}, write, end: write });
  const deps = { live: { settings: { ReplyCachePace: pace } } };
  const context = { deps, response, shutdown: { isStopping: false } } as unknown as HttpContext;
  const call = { requestId: 'r', rate: { limit: 0, left: 0, waitMs: 0, resetMs: 0 } } as unknown as RelayCall;
  const reply = {
    body: 'onetwothree',
    contentType: 'text/event-stream',
    pace: [
      [0, 3],
      [1000, 3],
      [3000, 5],
    ],
  } as unknown as CachedReply;
  const sent = sendStream(context, call, reply, '');
  for (const [at, passedMs] of [0, 1000, 2000].entries()) {
    await vi.advanceTimersByTimeAsync(passedMs);
    expect(written.filter((text) => text !== '')).toEqual(expected[at]);
  }
  await sent;
});

onOneDatabase('the reply cache', (make) => {
  const nodes = nodesForSuite(make);
  const { upstream, call, caller, db } = nodes;
  const set = async (values: Record<string, string>) => {
    await setOptions(nodes.here().root, values);
    await nodes.there().server.deps.live.changed('settings');
  };
  let channel: number;
  const edit = (change: Partial<InputOf<typeof channelApi.update>['body']>) =>
    nodes.here().root.call(channelApi.update, { body: { id: channel, ...change } });

  beforeAll(async () => {
    channel = await addChannel(nodes.here(), upstream().url);
    await nodes.there().server.deps.live.changed('routes');
  });

  test.each(dialects)('%s is sent again byte by byte, free and without an upstream', async (_, path, body) => {
    const who = await caller();
    const first = await call(who.key, body, path);
    const asked = upstream().requests.total;
    const second = await call(who.key, body, path);
    expect([first, second].map((one) => [one.status, cacheOf(one)])).toEqual([
      [200, 'miss'],
      [200, 'hit'],
    ]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(Number(second.headers.get('age'))).toBeGreaterThanOrEqual(0);
    expect(upstream().requests.total).toBe(asked);
    const [made, again] = await rowsOf(db(), who);
    expect(again).toMatchObject({
      channel_id: 0,
      quota: 0,
      failed: false,
      prompt_tokens: made!.prompt_tokens,
      completion_tokens: made!.completion_tokens,
      is_stream: made!.is_stream,
      metadata: { outcome: 'answered', reserved: 0, attempts: [], reply_cache: { percent: 0 } },
    });
    expect(made!.quota).toBeGreaterThan(0);
    expect(made!.metadata?.reply_cache).toBeUndefined();
    await expectBooksBalance(db());
  });

  test('equal requests hit and others do not, over users, groups, parameters and nodes', async () => {
    // Two groups with another model behind the same name.
    await nodes.here().root.call(userGroupApi.create, {
      body: { symbol: 'other', name: 'other', ratio: 1, public: true, api_rate: 10_000_000 },
    });
    const mapped = { group: 'other', models: 'gpt-4o', model_mapping: '{"gpt-4o":"gpt-4o-mini"}' };
    await addChannel(nodes.here(), upstream().url, mapped);
    await nodes.there().server.deps.live.changed('groups');
    await nodes.there().server.deps.live.changed('routes');
    const keys: { user: string; group: string; key: string }[] = [];
    for (const user of ['ann', 'bob']) {
      const who = await caller();
      const more = [who, await addKey(db(), who.userId), await addKey(db(), who.userId, { group: 'other' })];
      for (const { tokenId } of more) await switched(nodes.here(), tokenId);
      more.forEach(({ key }, at) => keys.push({ user, group: at === 2 ? 'other' : 'default', key }));
    }
    const request = fc.record({
      caller: fc.nat(keys.length - 1),
      elsewhere: fc.boolean(),
      reversed: fc.boolean(),
      beta: fc.constantFrom(undefined, 'a'),
      tag: fc.nat(3),
      body: fc.record(
        {
          text: fc.constantFrom('hello', 'Hello', 'hello '),
          temperature: fc.constantFrom(0, 0.5),
          stream: fc.boolean(),
          user: fc.constantFrom('one', 'two'),
        },
        { requiredKeys: ['text'] },
      ),
    });
    const known = new Map<string, string>();
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ caller: at, elsewhere, reversed, beta, tag, body: { text, ...more } }) => {
        const { user, group, key } = keys[at]!;
        // Fields without influence, and the order of members, are free.
        const body = {
          model: 'gpt-4o',
          messages: [{ role: 'user', content: text }],
          ...more,
          prompt_cache_key: `${tag}`,
        };
        const sent = reversed ? Object.fromEntries(Object.entries(body).toReversed()) : body;
        const headers: Record<string, string> = beta === undefined ? {} : { 'openai-beta': beta };
        const answer = await call(key, sent, undefined, headers, elsewhere ? nodes.there() : nodes.here());
        const same = JSON.stringify([user, group, beta, text, more.temperature, more.stream, more.user]);
        const before = known.get(same);
        expect([cacheOf(answer), answer.text]).toEqual(
          before === undefined ? ['miss', expect.anything()] : ['hit', before],
        );
        if (before !== undefined) hits++;
        known.set(same, answer.text);
      }),
      { numRuns: 250 },
    );
    // Both kinds were seen, and no two requests had the same reply.
    expect(hits).toBeGreaterThan(30);
    expect(new Set(known.values()).size).toBe(known.size);
    await expectBooksBalance(db());
  });

  test.each<[string, Body, string?, (Record<string, string> | undefined)?]>([
    ['no-store', {}, '/v1/chat/completions', { 'cache-control': 'no-store' }],
    ['store', { store: true }],
    ['a response that is kept', { input: 'hello', messages: undefined }, '/v1/responses'],
    ['a hosted tool', { tools: [{ type: 'web_search' }], input: 'hello', store: false }, '/v1/responses'],
    ['a search', { web_search_options: {} }],
    ['a number that JSON.parse would change', { seed: 12 }],
  ])('is not asked with %s', async (name, more, path, headers) => {
    const who = await caller();
    const body = { ...hello, ...more };
    const sent = name.startsWith('a number') ? JSON.stringify(body).replace('12', '1234567890123456789') : body;
    for (let times = 0; times < 2; times++) expect(cacheOf(await call(who.key, sent, path, headers))).toBeNull();
  });

  test('is not asked without each of its switches', async () => {
    const without = await addCaller(db());
    const who = await caller();
    expect(cacheOf(await call(without.key, hello))).toBeNull();
    await set({ ReplyCacheEnabled: 'false' });
    expect(cacheOf(await call(who.key, hello))).toBeNull();
    await set({ ReplyCacheEnabled: 'true' });
    expect(cacheOf(await call(who.key, hello))).toBe('miss');
  });

  test('obeys the age that a caller takes', async () => {
    const { key } = await caller();
    const asked = async (control: string) => {
      const answer = await call(key, hello, undefined, { 'cache-control': control });
      return [cacheOf(answer), answer.text] as const;
    };
    const [, first] = await asked('max-age=60');
    expect(await asked('max-age=60')).toEqual(['hit', first]);
    const [refreshed, second] = await asked('no-cache');
    expect([refreshed, second === first]).toEqual(['miss', false]);
    expect(await asked('max-age=60')).toEqual(['hit', second]);
    expect((await asked('max-age=0'))[0]).toBe('miss');
  });

  test('forgets a reply after its time, which a setting can shorten', async () => {
    onTestFinished(async () => {
      vi.useRealTimers();
      await set({ ReplyCacheMinutes: '60' });
    });
    const { key, userId } = await caller();
    await call(key, hello);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 });
    const again = await call(key, hello);
    expect([cacheOf(again), Number(again.headers.get('age')) >= 1800]).toEqual(['hit', true]);
    await set({ ReplyCacheMinutes: '20' });
    expect(cacheOf(await call(key, hello))).toBe('miss');
    vi.setSystemTime(Date.now() + 61 * 60_000);
    expect(cacheOf(await call(key, { ...hello, top_p: 1 }))).toBe('miss');
    await nodes.here().server.deps.replyCache.tidy(() => false);
    const left = db().selectFrom('cached_replies').where('user_id', '=', userId).select('key');
    expect(await left.execute()).toHaveLength(1);
  });

  test.each<[string, () => unknown, Body, number]>([
    ['an error', () => upstream().next({ status: 400 }), {}, 400],
    ['an empty answer', () => upstream().next({ fault: 'emptyAnswer' }), {}, 502],
    ['a stream that is cut', () => upstream().next({ fault: 'cutMidChunk', chunks: 20 }), { stream: true }, 200],
    ['a stream without its end', () => upstream().next({ fault: 'endWithoutDone', chunks: 20 }), { stream: true }, 200],
    ['an error in a stream', () => upstream().next({ fault: 'errorInStream', chunks: 20 }), { stream: true }, 200],
    ['an answer of the content filter', () => upstream().next({ finishReason: 'content_filter' }), {}, 200],
    [
      'usage that cannot be true',
      () => upstream().next({ usage: { prompt_tokens: 9, completion_tokens: 500_000, total_tokens: 500_009 } }),
      {},
      200,
    ],
    ['a reply that is too long', () => upstream().next({ text: 'long '.repeat(60_000) }), {}, 200],
    ['a stream that is too long', () => upstream().next({ chunks: 3000, chunkBytes: 100 }), { stream: true }, 200],
    ['replies of a channel whose switch is off', () => edit({ reply_cache: false }), {}, 200],
  ])('does not keep %s', async (_, prepare, more, status) => {
    const who = await caller();
    await prepare();
    try {
      const first = await call(who.key, { ...hello, ...more });
      expect([first.status, cacheOf(first)]).toEqual([status, 'miss']);
    } finally {
      await edit({ reply_cache: true });
    }
    expect(cacheOf(await call(who.key, { ...hello, ...more }))).toBe('miss');
    expect(cacheOf(await call(who.key, { ...hello, ...more }))).toBe('hit');
  });

  test('charges the percentage of a reply to the credit, and nothing that the balance does not cover', async () => {
    onTestFinished(() => set({ ReplyCachePercent: '0' }));
    const who = await caller();
    const answer = () => call(who.key, { ...hello, max_tokens: 100 }, undefined, { 'x-relay-cost': '1' });
    const first = await answer();
    await set({ ReplyCachePercent: '30' });
    const second = await answer();
    const [made, again] = await rowsOf(db(), who);
    const charge = Math.ceil(made!.quota * 0.3);
    expect(charge).not.toBe(made!.quota * 0.3);
    expect(again).toMatchObject({ quota: charge, metadata: { reserved: charge, reply_cache: { percent: 30 } } });
    const costs = [first, second].map(({ text }) => (JSON.parse(text) as { usage: { cost: number } }).usage.cost);
    expect(costs).toEqual([made!.quota / 500_000, charge / 500_000]);
    expect(second.headers.get('x-relay-cost')).toBe(String(charge / 500_000));

    // The balance covers one call, and its remainder does not cover a cached reply.
    const short = { ...hello, max_tokens: 10 };
    await call(who.key, short);
    const { quota, metadata } = (await rowsOf(db(), who)).at(-1)!;
    const poor = await caller({ quota: metadata!.reserved! });
    await call(poor.key, short);
    await set({ ReplyCachePercent: '100' });
    expect((await call(poor.key, short)).status).toBe(402);
    await set({ ReplyCachePercent: '0' });
    expect(cacheOf(await call(poor.key, short))).toBe('hit');
    expect(await userOf(db(), poor)).toMatchObject({ balance: metadata!.reserved! - quota, used_quota: quota });
    await expectBooksBalance(db());
    const { storage, config } = nodes.here().server.deps;
    expect(await checkBooks(storage, journalFolder(config.dataDir))).toMatchObject({ balanced: true });
  });

  test('a reply of the cache is in the totals of the hub as in those of its user', async () => {
    const who = await caller();
    for (let n = 0; n < 3; n++) await call(who.key, { ...hello, seed: 77 });
    await caughtUp(db());
    const sumsIn = (table: 'usage_by_user' | 'usage_by_channel') =>
      db()
        .selectFrom(table)
        .select(({ fn }) => [
          sql<number>`sum(request_count - failed_count)`.as('answered'),
          fn.sum<number>('quota').as('quota'),
          fn.sum<number>('completion_tokens').as('output'),
        ])
        .executeTakeFirstOrThrow();
    expect(await sumsIn('usage_by_channel')).toEqual(await sumsIn('usage_by_user'));
  });

  test('keeps no reply that a low balance shortened', async () => {
    const who = await caller({ quota: 4000 });
    expect((await call(who.key, { ...hello, max_tokens: 5000 })).status).toBe(200);
    expect(await db().selectFrom('cached_replies').where('user_id', '=', who.userId).select('key').execute()).toEqual(
      [],
    );
  });

  test('checks everything that any call has to pass', async () => {
    const { root, server } = nodes.here();
    const { token, key } = await root.call(tokenApi.create, {
      body: {
        name: 'limited',
        unlimited_quota: true,
        enable_cache: true,
        limits: { caps: [{ measure: 'requests', period: 'day', amount: 3 }] },
      },
    });
    const status = async () => (await call(key, hello)).status;
    expect([cacheOf(await call(key, hello)), cacheOf(await call(key, hello))]).toEqual(['miss', 'hit']);
    const change = (body: object) => root.call(tokenApi.update, { body: { id: token.id, ...body } });
    await change({ status: 2 });
    expect(await status()).toBe(401);
    await change({ status: 1 });
    await change({ limits: { caps: [], models: ['gpt-4o-mini'] } });
    expect(await status()).toBe(403);
    await change({ limits: { caps: [{ measure: 'requests', period: 'day', amount: 3 }] } });
    const statuses = [await status(), await status(), await status()];
    expect(statuses.at(-1)).toBe(429);
    await change({ limits: { caps: [] } });
    expect(await status()).toBe(200);
    await server.deps.book.caughtUp();
  });

  test.each<[string, Parameters<typeof edit>[0], Parameters<typeof edit>[0]]>([
    ['its model’s name upstream', { model_mapping: '{"gpt-4o":"gpt-4o-mini"}' }, { model_mapping: '' }],
    ['a rule', { request_rules: [{ action: 'set', target: 'body', field: 'seed', value: 7 }] }, { request_rules: [] }],
    ['its switch', { reply_cache: false }, { reply_cache: true }],
    ['its models', { models: 'gpt-4o-mini' }, { models: 'gpt-4o,gpt-4o-mini,text-embedding-3-small' }],
  ])('sends no reply again after a channel changes %s, until it is as before', async (name, change, back) => {
    const { key } = await caller();
    await call(key, hello);
    await edit(change);
    const between = await call(key, hello, undefined, { 'cache-control': 'max-age=3600' });
    await edit(back);
    expect([between.status, cacheOf(between)]).toEqual([name === 'its models' ? 404 : 200, 'miss']);
  });

  test('answers while the channel is away, at the price of today', async () => {
    const { key, userId } = await caller();
    onTestFinished(async () => {
      await set({ ReplyCachePercent: '0' });
      upstream().behaviour = nodes.numbered;
      nodes.here().server.deps.live.health.forget(channel);
    });
    await call(key, hello);
    await set({ ReplyCachePercent: '100' });
    upstream().behaviour = { status: 500 };
    for (let failures = 0; failures < 5; failures++) await call(key, { ...hello, seed: failures });
    const [before] = await rowsOf(db(), { userId });
    const again = await call(key, hello);
    expect([again.status, cacheOf(again)]).toEqual([200, 'hit']);
    expect((await rowsOf(db(), { userId })).at(-1)).toMatchObject({ quota: before!.quota, channel_id: 0 });
  });

  test('answers while the channel takes no more calls', async () => {
    const { key } = await caller();
    const caps = [{ measure: 'requests' as const, period: 'day' as const, amount: 1 }];
    const limits = { caps, key_caps: [], time_zone: 'UTC', learn: false };
    await addChannel(nodes.here(), upstream().url, { models: 'gpt-4.1', limits });
    const body = { ...hello, model: 'gpt-4.1' };
    expect(cacheOf(await call(key, body))).toBe('miss');
    expect((await call(key, { ...body, seed: 1 })).status).toBe(429);
    expect(cacheOf(await call(key, body))).toBe('hit');
  });

  test('an operator sees size and use, and clears the replies of a user or all; those of a deleted user go', async () => {
    const { root } = nodes.here();
    await root.call(replyCacheApi.clear, { query: {} });
    const before = await root.call(replyCacheApi.state);
    expect(before).toMatchObject({ replies: 0, bytes: 0 });
    const people = [await caller(), await caller(), await caller()];
    const ask = () => Promise.all(people.map(async ({ key }) => cacheOf(await call(key, hello))));
    expect(await ask()).toEqual(['miss', 'miss', 'miss']);
    expect(await ask()).toEqual(['hit', 'hit', 'hit']);
    const { replies, bytes, hits, misses, saved } = await root.call(replyCacheApi.state);
    expect({ replies, hits: hits - before.hits, misses: misses - before.misses }).toEqual({
      replies: 3,
      hits: 3,
      misses: 3,
    });
    expect([bytes > 0, saved > before.saved]).toEqual([true, true]);
    const { models, tokens } = await root.call(replyCacheApi.state);
    expect(models.find(({ model }) => model === 'gpt-4o')?.hits).toBeGreaterThanOrEqual(3);
    const ids = people.map(({ tokenId }) => tokenId);
    const ofPeople = tokens.filter(({ token_id: id }) => ids.includes(id));
    // At most twenty are listed, and tests before this one had more calls.
    for (const use of ofPeople) expect(use).toMatchObject({ hits: 1, misses: 1 });
    await root.call(replyCacheApi.clear, { query: { user_id: people[0]!.userId } });
    expect(await ask()).toEqual(['miss', 'hit', 'hit']);
    await root.call(userAdminApi.manage, { body: { id: people[1]!.userId, action: 'delete' } });
    expect(await root.call(replyCacheApi.state)).toMatchObject({ replies: 2 });
    await root.call(replyCacheApi.clear, { query: {} });
    expect(await root.call(replyCacheApi.state)).toMatchObject({ replies: 0, bytes: 0 });
  });

  test('20 equal calls at once are all answered, and the books balance', async () => {
    const { key, userId } = await caller();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(nodes.here(), key, hello)));
    await nodes.settled();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(cacheOf(await call(key, hello))).toBe('hit');
    const charged = (await rowsOf(db(), { userId })).filter(({ metadata }) => !metadata?.reply_cache);
    expect(charged.every(({ quota }) => quota > 0)).toBe(true);
    await expectBooksBalance(db());
  });

  test('a stream at its original pace has the same bytes', async () => {
    onTestFinished(() => set({ ReplyCachePace: 'once' }));
    await set({ ReplyCachePace: 'original' });
    const { key } = await caller();
    upstream().next({ text: 'one two three four', chunkMs: 5 });
    const first = await call(key, { ...hello, stream: true });
    const second = await call(key, { ...hello, stream: true });
    expect([cacheOf(second), second.text]).toEqual(['hit', first.text]);
  });

  test('of the scope `site` answers every user, and only users of the same group and limits on providers', async () => {
    onTestFinished(() => set({ ReplyCacheScope: 'user' }));
    await set({ ReplyCacheScope: 'site' });
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'for everyone' }] };
    const [ann, bob, limited, vip] = [await caller(), await caller(), await caller(), await caller()];
    const limits = JSON.stringify({ ...noLimits, provider: { data_collection: 'deny' } });
    await db().updateTable('tokens').set({ limits }).where('id', '=', limited.tokenId).execute();
    await db().updateTable('tokens').set({ group: 'vip' }).where('id', '=', vip.tokenId).execute();
    const made = await call(ann.key, body);
    const shared = await call(bob.key, body, undefined, undefined, nodes.there());
    expect([cacheOf(made), cacheOf(shared), shared.text]).toEqual(['miss', 'hit', made.text]);
    // The channel of the reply keeps prompts, as far as its operator has said.
    expect((await call(limited.key, body)).status).toBe(403);
    expect((await call(vip.key, body)).text).not.toBe(made.text);
    await expectBooksBalance(db());
  });

  test('meets the wishes of the call that gets it', async () => {
    onTestFinished(() => set({ ProviderWishes: 'false' }));
    await set({ ProviderWishes: 'true' });
    const { key } = await caller();
    const provider = { ignore: ['nobody'] };
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'with wishes' }], provider };
    expect([cacheOf(await call(key, body)), cacheOf(await call(key, body))]).toEqual(['miss', 'hit']);
    await edit({ public_name: 'nobody' });
    expect((await call(key, body)).status).toBe(404);
    await edit({ public_name: '' });
    expect(cacheOf(await call(key, body))).toBe('hit');
  });

  test('calls go on when the place of the replies is away', async () => {
    const { key } = await caller();
    await call(key, hello);
    const { db: own } = nodes.here().server.deps;
    await own.schema.alterTable('cached_replies').renameTo('gone').execute();
    onTestFinished(() => own.schema.alterTable('gone').renameTo('cached_replies').execute());
    const answer = await call(key, hello);
    expect([answer.status, cacheOf(answer)]).toEqual([200, 'miss']);
    await expectBooksBalance(db());
  });
});

/** A text and a call of a tool in the dialects of providers. */
const vendors: [name: string, type: number, model: string, path: string, body: Body, text: object, tool: object][] = [
  [
    'Chat Completions',
    8,
    'gpt-4o',
    '/v1/chat/completions',
    { messages: [turn], tools: [{ type: 'function', function: { name: 'look' } }] },
    { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi', tool_calls: null } }] },
    {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
          },
        },
      ],
    },
  ],
  [
    'Responses',
    1,
    'gpt-4.1-mini',
    '/v1/responses',
    { input: 'hello', store: false, tools: [{ type: 'function', name: 'look', parameters: {} }] },
    {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'say "tool_calls": x' }] }],
    },
    {
      id: 'resp_2',
      object: 'response',
      status: 'completed',
      output: [{ type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'look', arguments: '{}' }],
    },
  ],
  [
    'Messages',
    14,
    'claude-3-haiku-20240307',
    '/v1/messages',
    { messages: [turn], max_tokens: 50, tools: [{ name: 'look', input_schema: { type: 'object' } }] },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Hi' }],
    },
    {
      id: 'msg_2',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }],
    },
  ],
  [
    'Gemini',
    25,
    'gemini-2.5-flash',
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    { contents, tools: [{ functionDeclarations: [{ name: 'look' }] }] },
    { candidates: [{ finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Hi' }] } }] },
    {
      candidates: [
        { finishReason: 'STOP', content: { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] } },
      ],
    },
  ],
];

const usages = {
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, input_tokens: 9, output_tokens: 2 },
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
};

onOneDatabase('replies with tools', (make) => {
  const nodes = nodesForSuite(make);
  const raw = rawUpstreamForSuite();

  test.each(vendors)('of %s are kept unless they call one', async (_, type, model, path, body, text, tool) => {
    await addChannel(nodes.here(), raw().url, { type, models: model });
    const who = await nodes.caller();
    const send = async (said: string, reply: object) => {
      raw().reply = (response) => sendJson(response, { model, ...reply, ...usages });
      const sent = JSON.parse(
        JSON.stringify(type === 25 ? body : { model, ...body }).replaceAll('hello', said),
      ) as Body;
      const answers = [await nodes.call(who.key, sent, path), await nodes.call(who.key, sent, path)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      return answers.map(cacheOf);
    };
    expect(await send('say hi', text)).toEqual(['miss', 'hit']);
    expect(await send('use it', tool)).toEqual(['miss', 'miss']);
    await expectBooksBalance(nodes.db());
  });
});

describe.skipIf(!hasRedis)('with Redis', () => {
  const redis = redisForSuite();
  onOneDatabase('the reply cache', (make) => {
    const nodes = nodesForSuite(make, () => ({ REDIS_URL: redis().url }));

    test('nodes share replies, which leave no row and can be cleared; without Redis calls go on', async () => {
      await addChannel(nodes.here(), nodes.upstream().url);
      await nodes.there().server.deps.live.changed('routes');
      const [ann, bob] = [await nodes.caller(), await nodes.caller()];
      const at = async (who: TestCaller, node = nodes.here()) => {
        const { status, headers } = await nodes.call(who.key, hello, undefined, undefined, node);
        return [status, headers.get('x-relay-cache')];
      };
      for (const who of [ann, bob]) expect(await at(who)).toEqual([200, 'miss']);
      for (const who of [ann, bob]) expect(await at(who, nodes.there())).toEqual([200, 'hit']);
      expect(await nodes.db().selectFrom('cached_replies').select('key').execute()).toEqual([]);
      const { replyCache } = nodes.here().server.deps;
      expect(await replyCache.size()).toMatchObject({ replies: 2 });
      await replyCache.clear(ann.userId);
      expect([await at(ann), await at(bob)]).toEqual([
        [200, 'miss'],
        [200, 'hit'],
      ]);
      await redis().stop();
      for (const who of [ann, bob]) expect(await at(who)).toEqual([200, 'miss']);
      await expectBooksBalance(nodes.db());
    });
  });
});
