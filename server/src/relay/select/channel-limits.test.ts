import type { ServerResponse } from 'node:http';
import {
  auditApi,
  channelApi,
  channelBatchApi,
  channelTagApi,
  optionApi,
  priceApi,
  routeApi,
  userGroupApi,
  type ChannelLimits,
} from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, liftRates, startHub, type TestHub } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';
import { until } from '#testing/until.ts';

type Caps = ChannelLimits['caps'];
const perMinute = (amount: number): Caps[number] => ({ measure: 'requests', period: 'minute', amount });
const atOnce = (amount: number): Caps[number] => ({ measure: 'calls', period: 'at_once', amount });
const limitsOf = (caps: Caps, more: Partial<ChannelLimits> = {}) => ({
  caps,
  key_caps: [],
  time_zone: 'UTC',
  learn: false,
  ...more,
});

onEveryDatabase('limits of channels', (make) => {
  const [first, second] = [rawUpstreamForSuite(), rawUpstreamForSuite()];
  let database: EmptyDatabase;
  let here: TestHub;
  let there: TestHub;
  let who: TestCaller;
  let model: string;
  let models = 0;

  const reply = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 20 },
  };
  const answering = (response: ServerResponse) => sendJson(response, reply);
  /** Responses that are held back, until a test lets them go. */
  const held: ServerResponse[] = [];
  const holding = (response: ServerResponse) => void held.push(response);
  /** The result of a promise; names what did not come. */
  const within = async <T>(what: string, work: Promise<T>): Promise<T> => {
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    await until(what, () => isOver);
    return ended;
  };
  const letGo = () => {
    for (const response of held.splice(0)) answering(response);
  };
  const inForce = () => there.server.deps.live.changed('routes');
  const channelOf = async (url: string, limits: object | null, more: object = {}) => {
    const id = await addChannel(here, url, { models: model, limits: limits as ChannelLimits, ...more });
    await inForce();
    return id;
  };
  const call = (hub = here, body: object = {}) => post(hub, who.key, { ...hello, model, ...body });
  const servedBy = async (hub = here) => {
    const before = [first().requests.length, second().requests.length];
    const { status } = await call(hub);
    if (status !== 200) return status;
    return first().requests.length > before[0]! ? 'first' : 'second';
  };

  beforeAll(async () => {
    database = await make();
    here = await startHub(database);
    there = await startHub(database);
    await liftRates(here.root);
    await there.server.deps.live.changed('groups');
  }, 60_000);
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await database?.remove();
  });
  beforeEach(async () => {
    first().reply = second().reply = answering;
    model = `limited-${models++}`;
    await here.root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 8, input: 1, output: 1 } });
    await there.server.deps.live.changed('prices');
    who = await addCaller(here.server.deps.db);
  });
  afterEach(async () => {
    letGo();
    expect([here.server.deps.book.openCalls, there.server.deps.book.openCalls]).toEqual([0, 0]);
    await Promise.all([here.server.deps.live.limiter.flush(), there.server.deps.live.limiter.flush()]);
    expect(await here.server.deps.db.selectFrom('channel_calls').selectAll().execute()).toEqual([]);
    await caughtUp(there.server.deps.db);
    await expectBooksBalance(here.server.deps.db);
  });

  test('a full channel is skipped for one of the same priority, then for a lower one, on every node', async () => {
    await channelOf(first().url, limitsOf([perMinute(3)]), { priority: 5 });
    await channelOf(second().url, limitsOf([perMinute(2)]), { priority: 1 });
    const served = [];
    for (let i = 0; i < 5; i++) served.push(await servedBy(i % 2 ? there : here));
    expect(served).toEqual(['first', 'first', 'first', 'second', 'second']);
    expect(await servedBy(here)).toBe(429);
    expect(await servedBy(there)).toBe(429);
  });

  test('when all channels are full, callers get a 429 in their dialect that names the cause and the wait', async () => {
    await channelOf(first().url, limitsOf([perMinute(1)]));
    expect(await servedBy()).toBe('first');
    const messages = [{ role: 'user', content: 'hello' }];
    const google = `/gemini/v1beta/models/${model}:generateContent`;
    const calls: [path: string, body: object, error: object][] = [
      ['/v1/chat/completions', { model, messages }, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
      ['/v1/responses', { model, input: 'hello' }, { type: 'rate_limit_error', code: 'rate_limit_exceeded' }],
      ['/claude/v1/messages', { model, max_tokens: 9, messages }, { type: 'rate_limit_error' }],
      [google, { contents: [{ parts: [{ text: 'hello' }] }] }, { status: 'RESOURCE_EXHAUSTED' }],
    ];
    for (const [path, body, error] of calls) {
      const refused = await post(here, who.key, body, path, {
        headers: { 'x-api-key': who.key, 'x-goog-api-key': who.key },
      });
      expect([path, refused.status]).toEqual([path, 429]);
      const told = JSON.parse(refused.text) as { error: { message: string } };
      expect(told.error).toMatchObject(error);
      expect(told.error.message).toContain(
        `All channels for '${model}' are at a limit that the operator of this server has set (requests per minute).`,
      );
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThan(63);
    }
    expect(first().requests.at(-1)?.url).toBe('/v1/chat/completions');
  });

  test('calls at once are counted until they end, however they end', async () => {
    await channelOf(first().url, limitsOf([atOnce(2)]), { priority: 5 });
    await channelOf(second().url, null);
    first().reply = holding;
    const open = [call(here), call(there)];
    await until('both calls are at the provider', () => held.length === 2);
    expect(await servedBy(here)).toBe('second');
    expect(await servedBy(there)).toBe('second');
    // One client leaves and one call fails at the provider, which the other channel then serves.
    held[0]!.destroy();
    letGo();
    for (const answer of open) expect((await answer).status).toBe(200);
    first().reply = answering;
    await until('the first channel serves both nodes again', async () => {
      const served = [await servedBy(here), await servedBy(there)];
      for (const hub of [here, there])
        for (const { id } of hub.server.deps.live.routes.channels()) hub.server.deps.live.absolve(id);
      return served.every((by) => by === 'first');
    });
    const leaving = new AbortController();
    first().reply = holding;
    const left = post(here, who.key, { ...hello, model }, undefined, { signal: leaving.signal }).catch(() => undefined);
    await until('the call is at the provider', () => held.length === 1);
    leaving.abort();
    await left;
    letGo();
    await until('the call is settled', () => here.server.deps.book.openCalls === 0);
  });

  test('each key has limits of its own, and a channel is full when all its keys are', async () => {
    const key = 'sk-key-number-0001\nsk-key-number-0002';
    await channelOf(first().url, limitsOf([], { key_caps: [perMinute(2)] }), { key, one_channel: true, priority: 5 });
    await channelOf(second().url, null);
    const from = first().requests.length;
    const served = [];
    for (let i = 0; i < 5; i++) served.push(await servedBy(i % 2 ? there : here));
    expect(served).toEqual(['first', 'first', 'first', 'first', 'second']);
    const used = first()
      .requests.slice(from)
      .map(({ headers }) => headers.authorization);
    expect(used.filter((each) => each?.endsWith('0001'))).toHaveLength(2);
  });

  test('parallel calls on two nodes never pass a limit at the provider, and none is refused for nothing', async () => {
    await channelOf(first().url, limitsOf([atOnce(3), perMinute(17)]), { priority: 5 });
    await channelOf(second().url, null);
    let most = 0;
    let open = 0;
    const from = first().requests.length;
    first().reply = async (response) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      // Some fail, and are served by the other channel.
      if (first().requests.length % 4 === 0) sendJson(response, { error: { message: 'no' } }, 400 + 100 * (open % 2));
      else answering(response);
    };
    const hubs = [here, there];
    const statuses = [];
    for (let round = 0; round < 6; round++)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 8 }, async (_, i) => (await call(hubs[i % 2])).status))),
      );
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
    expect(first().requests.length - from).toBeLessThanOrEqual(17);
    expect(statuses.filter((status) => status === 429)).toEqual([]);
    for (const hub of hubs)
      for (const { id } of hub.server.deps.live.routes.channels()) hub.server.deps.live.absolve(id);
  });

  test('tokens and budgets are reserved by estimate and corrected by usage and cost', async () => {
    const caps: Caps = [
      { measure: 'tokens', period: 'minute', amount: 1000 },
      { measure: 'credits', period: 'day', amount: 1000 },
    ];
    // Costs are a tenth of the charge of 30.
    const id = await channelOf(first().url, limitsOf(caps), { cost_ratio: 0.1 });
    first().reply = holding;
    const open = call(here, { max_tokens: 500 });
    await until('the call is at the provider', () => held.length === 1);
    const used = async () => (await here.root.call(channelApi.get, { params: { id } })).limit_use;
    const [tokens, credits] = await used();
    expect(tokens).toMatchObject({ measure: 'tokens', amount: 1000 });
    expect(tokens!.used).toBeGreaterThan(500);
    expect(credits!.used).toBeGreaterThan(500);
    expect((await call(there, { max_tokens: 600 })).status).toBe(429);
    letGo();
    expect((await open).status).toBe(200);
    await here.server.deps.live.limiter.flush();
    expect(await used()).toMatchObject([{ used: 30 }, { used: 3 }]);
    first().reply = answering;
    expect((await call(there, { max_tokens: 600 })).status).toBe(200);
  });

  test('the explanation says which channel is full and since when, before any call of its node', async () => {
    const id = await channelOf(first().url, limitsOf([perMinute(1)]), { priority: 5 });
    await channelOf(second().url, null);
    const beganMs = Date.now();
    expect(await servedBy(here)).toBe('first');
    const { candidates } = await there.root.call(routeApi.explain, { body: { model } });
    expect(candidates).toMatchObject([
      { skipped: '', share: 1, limits: [] },
      { channel_id: id, skipped: 'full', share: 0, limits: [{ measure: 'requests', amount: 1, used: 1 }] },
    ]);
    // Half a second after the look, which may be over by now.
    expect(candidates[1]!.until).toBeGreaterThan(beganMs + 499);
  });

  test('files and other requests that are passed through count, and a test of the channel does', async () => {
    const id = await channelOf(first().url, limitsOf([perMinute(3), { ...perMinute(50), measure: 'tokens' }]));
    first().reply = (response) => sendJson(response, { object: 'list', data: [] });
    const { key } = await addToken(here);
    const list = () => post(here, `${key}#${id}`, undefined, '/v1/vector_stores', { method: 'GET' });
    expect([(await list()).status, (await list()).status]).toEqual([200, 200]);
    first().reply = answering;
    await here.root.call(channelApi.test, { params: { id }, query: { model } });
    const full = await list();
    expect([full.status, errorOf(full).code]).toEqual([429, 'rate_limit_exceeded']);
    const { limit_use: use } = await here.root.call(channelApi.get, { params: { id } });
    // Requests that are passed through need no tokens, and the test some.
    expect(use.map(({ measure, used }) => [measure, used])).toEqual([
      ['requests', 3],
      ['tokens', 32],
    ]);
  });

  test('a reply from the cache needs no room', async () => {
    const { db, live } = here.server.deps;
    await here.root.call(optionApi.set, { body: { key: 'ReplyCacheEnabled', value: 'true' } });
    await channelOf(first().url, limitsOf([perMinute(1)]));
    await db.updateTable('tokens').set({ enable_cache: true }).where('id', '=', who.tokenId).execute();
    await live.usersChanged(who.userId);
    const ask = () => call(here, { temperature: 0 });
    expect((await ask()).status).toBe(200);
    await until('the reply is kept', async () => (await ask()).headers.get('x-relay-cache') === 'hit');
    expect((await call(here, { temperature: 0, seed: 1 })).status).toBe(429);
    expect((await ask()).status).toBe(200);
    await here.root.call(optionApi.set, { body: { key: 'ReplyCacheEnabled', value: 'false' } });
  });

  describe('that callers wait for', () => {
    let group: { id: number; symbol: string };
    const waitingAt = (hub: TestHub) => hub.server.deps.live.limiter.waiting.length(`${group.symbol}\n${model}`);
    const setWait = async (limit_wait: { seconds: number; calls: number } | null) => {
      const body = { id: group.id, name: group.symbol, ratio: 1, api_rate: 1_000_000, public: false, limit_wait };
      await here.root.call(userGroupApi.update, { body });
      await there.server.deps.live.changed('groups');
    };

    beforeEach(async () => {
      const symbol = `waiting-${models}`;
      group = await here.root.call(userGroupApi.create, { body: { symbol, name: symbol, api_rate: 1_000_000 } });
      await there.server.deps.live.changed('groups');
      who = await addCaller(here.server.deps.db, { group: symbol });
    });

    test('calls wait in their order, leave when their caller does, and those beyond the length are refused', async () => {
      await setWait({ seconds: 100, calls: 3 });
      await channelOf(first().url, limitsOf([atOnce(1)]), { group: group.symbol });
      first().reply = holding;
      const contents: string[] = [];
      const ask = async (content: string, signal?: AbortSignal) => {
        const messages = [{ role: 'user', content }];
        const { status } = await post(here, who.key, { model, messages }, undefined, signal ? { signal } : {});
        contents.push(`${content} ${status}`);
      };
      const asked = [ask('one')];
      await until('the first call is at the provider', () => held.length === 1);
      const leaving = new AbortController();
      for (const [at, content] of ['two', 'three', 'four'].entries()) {
        asked.push(ask(content, content === 'three' ? leaving.signal : undefined).catch(() => {}));
        await until(`${content} waits`, () => waitingAt(here) === at + 1);
      }
      await ask('five');
      expect(contents).toEqual(['five 429']);
      leaving.abort();
      await until('the caller of the third call has left the queue', () => waitingAt(here) === 2);
      letGo();
      await until('the second call is at the provider', () => held.length === 1);
      expect(waitingAt(here)).toBe(1);
      letGo();
      await until('the fourth call is at the provider', () => held.length === 1);
      letGo();
      await Promise.all(asked);
      expect(contents).toEqual(['five 429', 'one 200', 'two 200', 'four 200']);
    });

    test('a call is refused when its wait is over, and room that comes back on another node ends it', async () => {
      await setWait({ seconds: 1, calls: 3 });
      await channelOf(first().url, limitsOf([atOnce(1)]), { group: group.symbol });
      first().reply = holding;
      const open = call(there);
      await until('the call is at the provider', () => held.length === 1);
      const refused = await within('the call is refused', call(here));
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      await setWait({ seconds: 100, calls: 3 });
      const waiting = call(here);
      await until('the call waits', () => waitingAt(here) === 1);
      letGo();
      expect((await within('the first call is served', open)).status).toBe(200);
      await until('the call is at the provider', () => held.length === 1);
      letGo();
      expect((await within('the waiting call is served', waiting)).status).toBe(200);
      expect(waitingAt(here)).toBe(0);
    });
  });

  describe('that the provider names', () => {
    const headers = { 'x-ratelimit-limit-requests': '2', 'x-ratelimit-remaining-requests': '1' };

    test('apply to the key and model on every node that has seen them, and are shown as learnt', async () => {
      const id = await channelOf(first().url, limitsOf([], { learn: true }), { priority: 5 });
      await channelOf(second().url, null);
      first().reply = (response) => sendJson(response, reply, 200, headers);
      const served = [await servedBy(here), await servedBy(here), await servedBy(here)];
      // The first call had nothing to go by, so it is not counted.
      expect([...served, await servedBy(here)]).toEqual(['first', 'first', 'first', 'second']);
      const { limits, limit_use: use } = await here.root.call(channelApi.get, { params: { id } });
      expect(limits).toEqual(limitsOf([], { learn: true }));
      expect(use).toMatchObject([{ model, measure: 'requests', period: 'minute', amount: 2, used: 2 }]);
      expect(use[0]!.key_id).toBeGreaterThan(0);
    });

    test('are full at once when nothing is left, and never replace one that is set', async () => {
      const id = await channelOf(first().url, limitsOf([], { learn: true }), { priority: 5 });
      await channelOf(second().url, null);
      const used = { ...headers, 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '30s' };
      first().reply = (response) => sendJson(response, reply, 200, used);
      expect([await servedBy(), await servedBy()]).toEqual(['first', 'second']);
      await here.root.call(channelApi.update, { body: { id, limits: limitsOf([perMinute(1000)], { learn: true }) } });
      expect((await here.root.call(channelApi.get, { params: { id } })).limit_use).toMatchObject([
        { key_id: 0, model: '', amount: 1000 },
      ]);
    });
  });

  describe('of a channel are an ordinary field', () => {
    test('an edit, a bulk change and a change of a tag can be undone, and are in the audit log', async () => {
      const tag = `tag-${models}`;
      const before = limitsOf([perMinute(1)]);
      const id = await channelOf(first().url, before, { tag });
      const read = async () => (await here.root.call(channelApi.get, { params: { id } })).limits;
      const next = limitsOf([perMinute(2)]);
      const change = { verb: 'edit', limits: next } as const;
      for (const edit of [
        () => here.root.call(channelApi.update, { body: { id, limits: next } }),
        () => here.root.call(channelBatchApi.apply, { body: { scope: { ids: [id] }, change } }),
        () => here.root.call(channelTagApi.update, { params: { tag }, body: { limits: next } }),
      ]) {
        const { undo = '' } = await edit();
        expect(await read()).toEqual(next);
        const { data } = await here.root.call(auditApi.list, { query: { size: 1 } });
        const entry = await here.root.call(auditApi.get, { params: { id: data[0]!.id } });
        expect(JSON.stringify(entry)).toMatch(/\bamount\W+2\b/);
        await here.root.call(channelBatchApi.undo, { body: { undo } });
        expect(await read()).toEqual(before);
      }
    });

    test('it is stored, read, cleared, and refused if wrong, by the field', async () => {
      const id = await channelOf(first().url, limitsOf([perMinute(1)], { learn: true, time_zone: 'Asia/Tokyo' }));
      const read = async () => (await here.root.call(channelApi.get, { params: { id } })).limits;
      expect(await read()).toEqual(limitsOf([perMinute(1)], { learn: true, time_zone: 'Asia/Tokyo' }));
      await here.root.call(channelApi.update, { body: { id, name: 'other' } });
      expect(await read()).not.toBeNull();
      for (const wrong of [
        limitsOf([{ measure: 'requests', period: 'month', amount: 1 }]),
        limitsOf([perMinute(1), perMinute(2)]),
        limitsOf([perMinute(-1)]),
        limitsOf([], { time_zone: 'Nowhere' }),
      ]) {
        const refused = await here.root.try(channelApi.update, { body: { id, limits: wrong } });
        expect([refused.status, refused.body]).toMatchObject([400, { field: expect.stringMatching(/^limits/) }]);
      }
      await here.root.call(channelApi.update, { body: { id, limits: null } });
      expect(await read()).toBeNull();
      await here.root.call(channelApi.update, { body: { id, limits: limitsOf([]) } });
      expect(await read()).toBeNull();
    });
  });
});
