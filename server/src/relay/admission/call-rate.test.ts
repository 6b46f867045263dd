import type { IncomingMessage } from 'node:http';
import { tokenApi, userAdminApi, userGroupApi } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, addKey, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { hasRedis, redisForSuite } from '#testing/redis.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

onOneDatabase('the rate of a user group', (make) => {
  describe('on one node', () => {
    const hub = hubForSuite(make);
    const upstream = upstreamForSuite();
    const db = () => hub().server.deps.db;
    let group: string;
    let groupId: number;

    const setRate = (api_rate: number) =>
      hub().root.call(userGroupApi.update, { body: { id: groupId, name: group, ratio: 1, api_rate, public: false } });

    beforeEach(async () => {
      group = `g${performance.now()}`.replace('.', '');
      const body = { symbol: group, name: group, ratio: 1, api_rate: 3, public: false };
      ({ id: groupId } = await hub().root.call(userGroupApi.create, { body }));
      await addChannel(hub(), upstream().url, { group: `default,${group}` });
    });

    test('is enforced: excess calls are not sent, reserved or recorded', async () => {
      const who = await addCaller(db(), { group });
      const before = upstream().requests.total;
      for (let i = 0; i < 3; i++) expect((await post(hub(), who.key, hello)).status).toBe(200);
      const late = await post(hub(), who.key, hello);
      expect(late.status).toBe(429);
      expect(errorOf(late)).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
      const wait = Number(late.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(50);
      expect(wait).toBeLessThanOrEqual(60);
      expect(late.headers.get('x-ratelimit-limit-requests')).toBe('3');
      expect(late.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(late.headers.get('x-ratelimit-reset-requests')).toBe(`${wait}s`);
      expect(upstream().requests.total).toBe(before + 3);
      expect(await rowsOf(db(), who)).toHaveLength(3);
      expect(hub().server.deps.book.openCalls).toBe(0);
      await expectBooksBalance(db());
    });

    test.each([
      ['a whole answer', 200, hello],
      ['a stream', 200, { ...hello, stream: true }],
      ['an upstream’s error', 400, hello],
      ['a refusal', 404, { ...hello, model: 'nobody-has-it' }],
    ])('what is left of it stands in %s, and nothing of the upstream’s own', async (_, status, body) => {
      const who = await addCaller(db(), { group });
      const own = { 'x-ratelimit-remaining-requests': '4711', 'x-ratelimit-remaining-tokens': '4712' };
      if (status !== 404) upstream().next({ status, headers: own });
      const { headers, ...answer } = await post(hub(), who.key, body);
      expect(answer.status).toBe(status);
      expect(headers.get('x-ratelimit-limit-requests')).toBe('3');
      expect(headers.get('x-ratelimit-remaining-requests')).toBe('2');
      expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^(5\d|60)s$/);
      expect(headers.get('x-ratelimit-remaining-tokens')).toBeNull();
    });

    test('is of the user’s own group, for all tokens together, whatever group they name', async () => {
      const who = await addCaller(db(), { group, tokenGroup: 'default' });
      const other = await addKey(db(), who.userId, {});
      const statuses = [];
      for (const key of [who.key, other.key, who.key, other.key]) statuses.push((await post(hub(), key, hello)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    });

    test('is told in the words of each dialect', async () => {
      await setRate(0);
      const who = await addCaller(db(), { group });
      const claude = await post(hub(), who.key, { ...hello, max_tokens: 9 }, '/v1/messages');
      expect(claude.status).toBe(429);
      expect(JSON.parse(claude.text)).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
      const gemini = await post(hub(), who.key, { contents: [] }, '/gemini/v1beta/models/gpt-4o:generateContent');
      expect(gemini.status).toBe(429);
      expect(JSON.parse(gemini.text)).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
      expect(gemini.headers.get('retry-after')).toBe('60');
    });

    test('is told to whoever wants a WebSocket, too', async () => {
      await setRate(0);
      const who = await addCaller(db(), { group });
      const url = `${hub().url.replace('http', 'ws')}/v1/realtime?model=gpt-4o`;
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${who.key}` } });
      const refused = await new Promise<IncomingMessage>((resolve) =>
        socket.on('unexpected-response', (_, response) => resolve(response)),
      );
      expect(refused.statusCode).toBe(429);
      expect(refused.headers).toMatchObject({
        'retry-after': '60',
        'x-ratelimit-limit-requests': '0',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '60s',
        'ratelimit-policy': '"requests";q=0;w=60',
        ratelimit: '"requests";r=0;t=60',
      });
      socket.on('error', () => {});
      socket.terminate();
    });

    test('is in force as soon as it is changed, and begins anew', async () => {
      await setRate(1);
      const who = await addCaller(db(), { group });
      expect((await post(hub(), who.key, hello)).status).toBe(200);
      expect((await post(hub(), who.key, hello)).status).toBe(429);
      await setRate(120);
      for (let i = 0; i < 20; i++) expect((await post(hub(), who.key, hello)).status).toBe(200);
    });

    test('a user whose own group is switched off makes no calls', async () => {
      const who = await addCaller(db(), { group, tokenGroup: 'default' });
      await db().updateTable('user_groups').set({ enable: false }).where('symbol', '=', group).execute();
      await hub().server.deps.live.changed('groups');
      const answer = await post(hub(), who.key, hello);
      expect(answer.status).toBe(403);
      expect(errorOf(answer)).toMatchObject({ code: 'group_forbidden' });
    });
  });

  describe.skipIf(!hasRedis)('on two nodes with Redis', () => {
    const redis = redisForSuite();
    const upstream = upstreamForSuite();

    test('is shared', { timeout: 60_000 }, async () => {
      const database = await make();
      const env = { REDIS_URL: redis().url };
      const nodes = [await startHub(database, env), await startHub(database, env)];
      try {
        const [here] = nodes;
        const body = { symbol: 'slow', name: 'slow', ratio: 1, api_rate: 10, public: true };
        await here!.root.call(userGroupApi.create, { body });
        await addChannel(here!, upstream().url, { group: 'slow,default' });
        const person = { username: 'somebody', password: 'a-password-of-mine', group: 'slow', quota: 1_000_000 };
        await here!.root.call(userAdminApi.create, { body: { ...person, display_name: '' } });
        const client = await new ApiClient(here!.url).signIn(person.username, person.password);
        const { key } = await client.call(tokenApi.create, { body: { name: 'mine', unlimited_quota: true } });
        // Lists of models are not rate limited, and show that a node knows group, channel and key.
        const knows = async ({ url }: { url: string }) =>
          (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).text();
        for (const node of nodes)
          await expect
            .poll(() => knows(node), { timeout: 20_000, message: 'models that the node knows' })
            .toContain('gpt-4o');
        const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => post(nodes[i % 2]!, key, hello)));
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
        const late = answers.filter(({ status }) => status === 429);
        expect(late).toHaveLength(14);
        for (const { headers } of late) {
          expect(headers.get('x-ratelimit-limit-requests')).toBe('10');
          expect(headers.get('x-ratelimit-remaining-requests')).toBe('0');
          expect(headers.get('x-ratelimit-reset-requests')).toBe(`${headers.get('retry-after')}s`);
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        }
      } finally {
        await Promise.all(nodes.map((node) => node.close()));
        await database.remove();
      }
    });
  });
});
