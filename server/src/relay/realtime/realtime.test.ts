import { priceApi, tokenApi, virtualModelApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { startProcess } from '#testing/process.ts';
import { RealtimeClient as Client } from '#testing/realtime-client.ts';
import { MESSAGE_LIMIT } from './realtime-sockets.ts';
import { untilStill } from '#testing/until.ts';

const MODEL = 'gpt-realtime';
const PATH = `/v1/realtime?model=${MODEL}`;
/** 700 × 2 + 200 × 2 × 0.1 + 100 × 2 × 8 + 50 × 8 + 150 × 8 × 4 */
const COST = 8240;
const usage = {
  input_tokens: 1000,
  output_tokens: 200,
  total_tokens: 1200,
  input_token_details: { text_tokens: 700, cached_tokens: 200, audio_tokens: 100 },
  output_token_details: { text_tokens: 50, audio_tokens: 150 },
};

onOneDatabase('realtime', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: `${MODEL},mapped`, model_mapping: `{"mapped":"+${MODEL}"}` });
    await addChannel(hub(), upstream().url, { name: 'deaf', type: 14, models: 'claude-realtime' });
    const price = {
      type: 'tokens' as const,
      channel_type: 1,
      input: 2,
      output: 8,
      extra_ratios: { cached_tokens_ratio: 0.1, input_audio_tokens_ratio: 8, output_audio_tokens_ratio: 4 },
    };
    for (const model of ['mapped', 'claude-realtime'])
      await hub().root.call(priceApi.create, { body: { model, ...price } });
  });
  beforeEach(async () => {
    upstream().realtime.behaviour = { usage };
    who = await addCaller(db());
  });
  afterEach(async () => {
    await expect.poll(() => hub().server.deps.book.openCalls, { message: 'open calls' }).toBe(0);
    await expectBooksBalance(db());
  });

  const sessions = () => upstream().realtime.sessions;
  async function rowOf(caller: TestCaller) {
    await expect.poll(() => rowsOf(db(), caller), { message: 'rows of the caller' }).toHaveLength(1);
    return (await rowsOf(db(), caller))[0]!;
  }

  test('a virtual name leads to the first step with a channel, which the row names', async () => {
    const models = (model: string) => ({ models: [{ model }] });
    const { id } = await hub().root.call(virtualModelApi.create, {
      body: { name: 'talks', steps: [models('nobody-serves-it'), models(MODEL)] },
    });
    try {
      const client = new Client(hub(), '/v1/realtime?model=talks', who.key);
      await client.opened;
      await client.until('session.created');
      client.send({ type: 'response.create' });
      await client.until('response.done', 1);
      client.socket.close(1000);
      await client.closed;
      expect(await rowOf(who)).toMatchObject({
        model_name: MODEL,
        quota: COST,
        metadata: { requested_model: 'talks', virtual: { name: 'talks', step: 2 } },
      });
    } finally {
      await hub().root.call(virtualModelApi.remove, { params: { id } });
    }
  });

  describe('a session', () => {
    test('passes events both ways as they are, and is charged at its end for all its responses', async () => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      await client.until('session.created');
      const own = { type: 'session.update', session: { unknown: [1, 'ü'] } };
      client.send(own);
      for (let i = 1; i <= 2; i++) {
        client.send({ type: 'response.create' });
        await client.until('response.done', i);
      }
      expect(sessions().at(-1)!.events[0]).toEqual(own);
      client.socket.close(1000);
      expect((await client.closed).code).toBe(1000);
      expect(await rowOf(who)).toMatchObject({
        model_name: MODEL,
        quota: 2 * COST,
        prompt_tokens: 2000,
        completion_tokens: 400,
        failed: false,
        metadata: {
          outcome: 'answered',
          usage_source: 'upstream',
          endpoint: '/v1/realtime',
          cached_tokens: 400,
          units: 2,
        },
      });
      expect((await userOf(db(), who)).balance).toBe(1_000_000 - 2 * COST);
    });

    test.each<[what: string, event: string, says: RegExp]>([
      ['names of two meanings', '{"type":"session.update","session":{"model":"gpt-realtime","Model":"o1"}}', /'Model'/],
      ['a model', '{"type":"session.update","session":{"model":"gpt-5-pro"}}', /'session\.model' cannot be changed/],
      ['a model', '{"type":"response.create","response":{"model":"gpt-5-pro"}}', /'response\.model' cannot be changed/],
      ['a tier', '{"type":"session.update","session":{"service_tier":"priority"}}', /'service_tier' costs extra/],
      ['a tool', '{"type":"response.create","response":{"tools":[{"type":"web_search"}]}}', /'tools\[0\]' costs extra/],
      [
        'a file',
        '{"type":"conversation.item.create","item":{"content":[{"type":"input_image","file_id":"file-A"}]}}',
        /'file-A' cannot be used/,
      ],
      [
        'a file',
        '{"type":"response.create","response":{"input":[{"content":[{"file_\\u0069d":"file-A"}]}]}}',
        /'file-A'/,
      ],
      ['no JSON', '{"type":', /not valid JSON/],
    ])('answers %s with an error, sends nothing on, and goes on: %s', async (_, event, says) => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      client.socket.send(event);
      await client.until('error');
      expect(client.events.at(-1)).toMatchObject({
        error: { type: 'invalid_request_error', message: expect.stringMatching(says) },
      });
      client.send({ type: 'response.create' });
      await client.until('response.done');
      expect(sessions().at(-1)!.events).toEqual([{ type: 'response.create' }]);
      client.socket.close(1000);
      expect(await rowOf(who)).toMatchObject({ quota: COST });
    });

    test('takes its own model in a configuration, and sends it without', async () => {
      const client = new Client(hub(), '/v1/realtime?model=mapped', who.key);
      await client.opened;
      client.send({ type: 'session.update', session: { type: 'realtime', model: 'mapped', voice: 'x' } });
      await expect.poll(() => sessions().at(-1)!.events).toHaveLength(1);
      expect(sessions().at(-1)!.events).toEqual([
        { type: 'session.update', session: { type: 'realtime', voice: 'x' } },
      ]);
      client.socket.close();
      await rowOf(who);
    });

    test('shows nothing of the client secret that the provider issues with it', async () => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      const event = { type: 'session.updated', session: { id: 'sess_1', client_secret: { value: 'ek_operators' } } };
      sessions().at(-1)!.socket.send(JSON.stringify(event));
      await client.until('session.updated');
      expect(client.events.at(-1)).toEqual({ type: 'session.updated', session: { id: 'sess_1' } });
      client.socket.close();
      await rowOf(who);
    });

    test('as browsers open it: the key is among the protocols, and goes no further', async () => {
      const client = new Client(hub(), PATH, undefined, [
        'realtime',
        `openai-insecure-api-key.${who.key}`,
        'openai-beta.realtime-v1',
      ]);
      expect(await client.opened).toBe('realtime');
      const { url, headers } = sessions().at(-1)!;
      expect(url).toBe(PATH);
      expect(headers).toMatchObject({ authorization: 'Bearer sk-upstream-key-0001', 'openai-beta': 'realtime=v1' });
      expect(JSON.stringify(headers)).not.toContain(who.key);
      client.socket.close();
      await rowOf(who);
    });

    test('of a mapped model asks for the other one and is billed as it says', async () => {
      const client = new Client(hub(), '/v1/realtime?model=mapped', who.key);
      await client.opened;
      expect(sessions().at(-1)!.url).toBe(PATH);
      client.socket.close();
      expect(await rowOf(who)).toMatchObject({ model_name: 'mapped', metadata: { upstream_model: MODEL } });
    });

    test('reserves the price of a dearer channel before trying it', async () => {
      const channel = { models: 'over', priority: 9 };
      const closed = 'http://127.0.0.1:9';
      const failing = await addChannel(hub(), closed, {
        ...channel,
        name: 'free',
        model_mapping: '{"over":"over-free"}',
      });
      await addChannel(hub(), upstream().url, { ...channel, priority: 1, model_mapping: '{"over":"over-dear"}' });
      const price = { channel_type: 1, output: 0 };
      await hub().root.call(priceApi.create, { body: { ...price, model: 'over-free', type: 'tokens', input: 0 } });
      await hub().root.call(priceApi.create, { body: { ...price, model: 'over-dear', type: 'times', input: 10 } });
      const path = '/v1/realtime?model=over';
      const poor = await addCaller(db(), { quota: 9999 });
      const before = sessions().length;
      await expect(new Client(hub(), path, poor.key).opened).rejects.toMatchObject({ status: 502 });
      expect(sessions().length).toBe(before);
      expect((await rowOf(poor)).metadata?.attempts).toMatchObject([{ next: 'no_other_channel' }]);

      hub().server.deps.live.absolve(failing);
      const client = new Client(hub(), path, who.key);
      await client.opened;
      client.socket.close();
      const { quota, metadata } = await rowOf(who);
      expect({ quota, metadata }).toMatchObject({
        metadata: { reserved: 10_000, attempts: [{ next: 'other_host', cause: 'connect' }, { status: 101 }] },
      });
    });

    test('whose caller vanishes is charged an estimate for the current response', async () => {
      upstream().realtime.behaviour = { usage, deltas: 10, deltaBytes: 400, endless: true };
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.output_text.delta', 10);
      client.socket.terminate();
      const row = await rowOf(who);
      expect(row).toMatchObject({ metadata: { outcome: 'client_gone', usage_source: 'estimate' } });
      expect(row.completion_tokens).toBeGreaterThan(500);
      await expect
        .poll(() => sessions().at(-1)!.socket.readyState, { message: 'state of the upstream socket' })
        .toBe(WebSocket.CLOSED);
    });

    test('has eight responses under way at most, and none of them is lost by a ninth', async () => {
      upstream().realtime.behaviour = { deltas: 1, endless: true };
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      for (let n = 0; n < 9; n++) client.send({ type: 'response.create' });
      await client.until('error');
      expect(client.events.find(({ type }) => type === 'error')).toMatchObject({
        error: { type: 'rate_limit_error', code: 'too_many_responses' },
      });
      await client.until('response.created', 8);
      expect(sessions().at(-1)!.events).toHaveLength(8);
      // One that the upstream refuses or ends makes room.
      sessions()
        .at(-1)!
        .socket.send(JSON.stringify({ type: 'error', error: { message: 'no' } }));
      await client.until('error', 2);
      client.send({ type: 'response.create' });
      await client.until('response.created', 9);
      client.socket.close();
      await rowOf(who);
    });

    test('that the upstream closes before any output costs nothing', async () => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      sessions().at(-1)!.socket.terminate();
      expect((await client.closed).code).toBe(1011);
      expect(await rowOf(who)).toMatchObject({ quota: 0, failed: true, metadata: { outcome: 'failed' } });
    });

    test('ends with an event when the credits run out, and never below zero', async () => {
      const poor = await addCaller(db(), { quota: 20_000 });
      const client = new Client(hub(), PATH, poor.key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.done', 1);
      client.send({ type: 'response.create' });
      const { code, reason } = await client.closed;
      expect({ code, reason }).toEqual({ code: 1008, reason: 'insufficient_quota' });
      const error = client.events.at(-1);
      expect(error).toMatchObject({
        type: 'error',
        error: { type: 'insufficient_quota', code: 'insufficient_quota' },
      });
      const row = await rowOf(poor);
      expect(row).toMatchObject({ quota: 2 * COST, metadata: { outcome: 'answered', finish_reason: 'credits' } });
      expect(row.metadata).not.toHaveProperty('shortfall');
    });

    test('ends in the middle of a response that costs more than there is', async () => {
      const poor = await addCaller(db(), { quota: 5000 });
      upstream().realtime.behaviour = { usage, deltas: 400, deltaBytes: 4000, endless: true };
      const client = new Client(hub(), PATH, poor.key);
      await client.opened;
      client.send({ type: 'response.create' });
      expect((await client.closed).code).toBe(1008);
      expect((await rowOf(poor)).quota).toBeLessThanOrEqual(5000);
    });

    test('takes messages of megabytes, and none that is too large', async () => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      const audio = 'A'.repeat(10 * 1024 * 1024);
      client.send({ type: 'input_audio_buffer.append', audio });
      await expect.poll(() => sessions().at(-1)!.events.length, { message: 'events at the upstream' }).toBe(1);
      expect((sessions().at(-1)!.events[0]!['audio'] as string).length).toBe(audio.length);
      client.socket.send('x'.repeat(MESSAGE_LIMIT + 1));
      expect((await client.closed).code).toBe(1009);
      await rowOf(who);
    });

    test('whose caller does not read pauses the upstream', async () => {
      const client = new Client(hub(), PATH, who.key);
      await client.opened;
      await client.until('session.created');
      client.socket.pause();
      const { socket } = sessions().at(-1)!;
      const message = JSON.stringify({ type: 'padding', text: 'x'.repeat(1 << 20) });
      for (let i = 0; i < 40; i++) socket.send(message);
      await untilStill('the upstream cannot send any more', () => socket.bufferedAmount);
      expect(socket.bufferedAmount).toBeGreaterThan(10 << 20);
      client.socket.resume();
      await client.until('padding', 40);
      client.socket.close();
      await rowOf(who);
    });
  });

  describe('an upgrade is refused in HTTP', () => {
    async function refused(path: string, key: string | undefined, status: number, code: string): Promise<void> {
      const before = sessions().length;
      await expect(new Client(hub(), path, key).opened).rejects.toMatchObject({ status, code });
      expect(sessions().length).toBe(before);
    }

    test('without a key, with a wrong one, without credits', async () => {
      await refused(PATH, undefined, 401, 'invalid_api_key');
      await refused(PATH, 'sk-nobodys', 401, 'invalid_api_key');
      const poor = await addCaller(db(), { quota: 10 });
      await refused(PATH, poor.key, 402, 'insufficient_quota');
      expect(await rowsOf(db(), poor)).toEqual([]);
    });

    test('without a model, with an unknown one, with one that no channel has sessions for', async () => {
      await refused('/v1/realtime', who.key, 400, 'model_name_required');
      await refused('/v1/realtime?model=none', who.key, 404, 'model_not_found');
      await refused('/v1/realtime?model=claude-realtime', who.key, 400, 'unsupported_operation');
      expect(await rowsOf(db(), who)).toEqual([]);
    });

    test('where the upstream refuses, with a row that costs nothing', async () => {
      upstream().realtime.behaviour = { status: 401 };
      await expect(new Client(hub(), PATH, who.key).opened).rejects.toMatchObject({
        status: 502,
        code: 'upstream_rejected',
      });
      expect(await rowOf(who)).toMatchObject({ quota: 0, failed: true, metadata: { outcome: 'failed', status: 502 } });
    });

    test('a plain request gets a 426, and an upgrade elsewhere is a plain request', async () => {
      const plain = await fetch(hub().url + PATH, { headers: { authorization: `Bearer ${who.key}` } });
      expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
      await expect(new Client(hub(), '/api/status', undefined).opened).rejects.toMatchObject({ status: 200 });
    });
  });

  test('of a process that was killed leaves a row that says so', async () => {
    const database = await make();
    const child = await startProcess(database);
    try {
      await addChannel(child, upstream().url, { models: MODEL });
      const free = { type: 'tokens' as const, channel_type: 1, input: 0, output: 0 };
      await child.root.call(priceApi.update, { params: { model: MODEL }, body: { model: MODEL, ...free } });
      const { key } = await child.root.call(tokenApi.create, { body: { name: 'test', unlimited_quota: true } });
      const client = new Client(child, PATH, key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.done');
    } finally {
      await child.kill();
    }
    const again = await startHub(database);
    const rows = () => again.server.deps.db.selectFrom('logs').where('model_name', '=', MODEL).selectAll().execute();
    await expect
      .poll(rows, { timeout: 10_000 })
      .toMatchObject([{ quota: 0, failed: true, metadata: { outcome: 'released' } }]);
    await expectBooksBalance(again.server.deps.db);
    await again.close();
    await database.remove();
  });

  test('the server’s stop ends sessions, and charges them', async () => {
    const database = await make();
    const other = await startHub(database);
    try {
      await addChannel(other, upstream().url, { models: MODEL });
      await other.root.call(priceApi.update, {
        params: { model: MODEL },
        body: { model: MODEL, type: 'tokens', channel_type: 1, input: 1, output: 1, extra_ratios: {} },
      });
      const caller = await addCaller(other.server.deps.db);
      const client = new Client(other, PATH, caller.key);
      await client.opened;
      client.send({ type: 'response.create' });
      await client.until('response.done');
      await other.server.close(5000);
      expect((await client.closed).code).toBe(1001);
    } finally {
      const again = await startHub(database);
      const { used_quota: used } = await again.server.deps.db
        .selectFrom('users')
        .where('username', 'like', 'user-%')
        .select('used_quota')
        .executeTakeFirstOrThrow();
      // 700 + 200 × 0.5 + 100 + 200
      expect(used).toBe(1100);
      await again.close();
      await database.remove();
    }
  });
});
