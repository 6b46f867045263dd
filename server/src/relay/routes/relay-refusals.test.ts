import { channelApi, priceApi, tokenStatus, userGroupApi, userStatus } from '@relay-hub/contract';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCaller, addKey, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { refusals } from '#testing/refusals.ts';
import { hello, post } from '#testing/relay-calls.ts';

onOneDatabase('relay refusals', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;

  beforeAll(async () => {
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,text-embedding-3-small,unpriced-model' });
    await addChannel(hub(), upstream().url, { models: 'switched-off', status: 2 });
    await addChannel(hub(), upstream().url, { models: 'only-chat', only_chat: true });
    await addChannel(hub(), upstream().url, { models: 'claude-sonnet-4-5', type: 14 });
    for (const model of ['switched-off', 'only-chat'])
      await hub().root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, input: 1, output: 1 } });
    await hub().root.call(userGroupApi.create, { body: { symbol: 'open', name: 'open', public: true } });
  });
  beforeEach(async () => void (who = await addCaller(db())));

  const { refused } = refusals(hub, upstream, () => who);

  describe('a key that may not call', () => {
    const banned = async (change: { status: number } | { deleted_time: number }) => {
      expect((await post(hub(), who.key, hello)).status).toBe(200); // remembered from now on
      await db().updateTable('users').set(change).where('id', '=', who.userId).execute();
      await hub().server.deps.live.changed('callers');
    };

    test('none', () => refused(() => post(hub(), undefined, hello), 401, 'invalid_api_key', /No API key/));
    test.each(['Bearer ', 'Bearer sk-', '  '])('%j', (authorization) =>
      refused(
        () => post(hub(), undefined, hello, undefined, { headers: { authorization } }),
        401,
        'invalid_api_key',
        /No API key/,
      ),
    );
    test('one of nobody', () =>
      refused(() => post(hub(), `sk-${'x'.repeat(48)}`, hello), 401, 'invalid_api_key', /not valid/));
    test('another case', () =>
      refused(() => post(hub(), `sk-${who.key.slice(3).toLowerCase()}`, hello), 401, 'invalid_api_key', /not valid/));
    test('on the list of models', () =>
      refused(() => post(hub(), 'sk-wrong', '', '/v1/models', { method: 'GET' }), 401, 'invalid_api_key', /not valid/));

    test('a disabled one', async () => {
      const { key } = await addKey(db(), who.userId, { status: tokenStatus.disabled });
      await refused(() => post(hub(), key, hello), 401, 'invalid_api_key', /disabled/);
    });
    test.each([
      ['by its time', { expires: 1_000_000_000 }],
      ['by its status', { status: tokenStatus.expired }],
    ])('an expired one: %s', async (_, more) => {
      const { key } = await addKey(db(), who.userId, more);
      await refused(() => post(hub(), key, hello), 401, 'invalid_api_key', /expired/);
    });
    test('an exhausted one', async () => {
      const { key } = await addKey(db(), who.userId, { status: tokenStatus.exhausted });
      await refused(() => post(hub(), key, hello), 402, 'insufficient_quota', /quota of this API key/);
    });
    test('a deleted one, though it was used a moment ago', async () => {
      expect((await post(hub(), who.key, hello)).status).toBe(200);
      await db().updateTable('tokens').set({ deleted_time: 1 }).where('id', '=', who.tokenId).execute();
      await hub().server.deps.live.changed('callers');
      await refused(() => post(hub(), who.key, hello), 401, 'invalid_api_key', /not valid/);
    });
    test('of a banned user', async () => {
      await banned({ status: userStatus.disabled });
      await refused(() => post(hub(), who.key, hello), 401, 'invalid_api_key', /account .* is disabled/);
    });
    test('of a deleted user', async () => {
      await banned({ deleted_time: 1 });
      await refused(() => post(hub(), who.key, hello), 401, 'invalid_api_key', /not valid/);
    });
  });

  describe('a model, channel or group that is not there', () => {
    test('a model without a price', () =>
      refused(
        () => post(hub(), who.key, { ...hello, model: 'unpriced-model' }),
        400,
        'model_not_priced',
        /'unpriced-model' has no price/,
        'model',
      ));
    test('a model of no channel', () =>
      refused(() => post(hub(), who.key, { ...hello, model: 'gpt-9' }), 404, 'model_not_found', /'gpt-9'/, 'model'));
    test('a model of a disabled channel only', () =>
      refused(
        () => post(hub(), who.key, { ...hello, model: 'switched-off' }),
        503,
        'no_available_channel',
        /switched-off/,
      ));
    test('tools, where the only channel takes none', () =>
      refused(
        () => post(hub(), who.key, { ...hello, model: 'only-chat', tools: [] }),
        400,
        'unsupported_operation',
        /only-chat/,
        'model',
      ));
    test.each<[string, object]>([
      ['/v1/embeddings', { input: 'x' }],
      ['/v1/images/generations', { prompt: 'x' }],
      ['/v1/audio/speech', { input: 'x', voice: 'alloy' }],
      ['/v1/moderations', { input: 'x' }],
      ['/v1/completions', { prompt: 'x' }],
      ['/v1/rerank', { query: 'q', documents: ['a'] }],
      ['/v1/responses/compact', { input: 'x' }],
    ])('%s, which no channel of the model can ever serve', (path, body) =>
      refused(
        () => post(hub(), who.key, { model: 'claude-sonnet-4-5', ...body }, path),
        400,
        'unsupported_operation',
        /'claude-sonnet-4-5'/,
        'model',
      ),
    );
    test('embeddings in Google’s form, which no channel of the model can ever serve', async () => {
      const content = { parts: [{ text: 'x' }] };
      const answer = await post(hub(), who.key, { content }, '/gemini/v1beta/models/claude-sonnet-4-5:embedContent');
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([404, { error: { status: 'NOT_FOUND' } }]);
    });
    test('a model of another group', async () => {
      who = await addCaller(db(), { group: 'vip' });
      await refused(() => post(hub(), who.key, hello), 404, 'model_not_found', /'gpt-4o'/, 'model');
    });
    test('a group that is no more', async () => {
      who = await addCaller(db(), { tokenGroup: 'never-was' });
      await refused(() => post(hub(), who.key, hello), 403, 'group_forbidden', /'never-was' does not exist/);
    });
    test('a private group of others', async () => {
      who = await addCaller(db(), { tokenGroup: 'vip' });
      await refused(
        () => post(hub(), who.key, hello),
        403,
        'group_forbidden',
        /may no longer use the user group 'vip'/,
      );
      await refused(() => post(hub(), who.key, '', '/v1/models', { method: 'GET' }), 403, 'group_forbidden', /'vip'/);
    });
    test('a group that was switched off, or became private, a moment ago', async () => {
      await addChannel(hub(), upstream().url, { models: 'gpt-4o', group: 'open' });
      who = await addCaller(db(), { tokenGroup: 'open' });
      expect((await post(hub(), who.key, hello)).status).toBe(200);
      const change = async (changes: { public?: boolean; enable?: boolean }) => {
        await db().updateTable('user_groups').set(changes).where('symbol', '=', 'open').execute();
        await hub().server.deps.live.changed('groups');
      };
      await change({ public: false });
      await refused(() => post(hub(), who.key, hello), 403, 'group_forbidden', /may no longer use/);
      await change({ enable: false });
      await refused(() => post(hub(), who.key, hello), 403, 'group_forbidden', /disabled/);
    });
  });

  describe('an address that is none', () => {
    test.each([
      ['GET', '/v1/chat/completions', 405, 'method_not_allowed'],
      ['DELETE', '/v1/embeddings', 405, 'method_not_allowed'],
      ['POST', '/v1/models', 405, 'method_not_allowed'],
      ['PUT', '/v1/models/gpt-4o', 405, 'method_not_allowed'],
      ['POST', '/v1/chat/completion', 404, 'unknown_url'],
      ['POST', '/v1/chat/completions/extra', 404, 'unknown_url'],
      ['GET', '/v1/', 404, 'unknown_url'],
      ['GET', '/v1/constructor', 404, 'unknown_url'],
      ['GET', '/v1/modelsx', 404, 'unknown_url'],
      ['GET', '/v1', 404, 'unknown_url'],
      ['GET', '/claude', 404, 'unknown_url'],
      ['GET', '/gemini', 404, 'unknown_url'],
      ['GET', '/dashboard/billing', 404, 'unknown_url'],
      ['POST', '/recraftAI/v1/users/me', 404, 'unknown_url'],
    ])('%s %s is %i', (method, path, status, code) =>
      refused(
        () => post(hub(), who.key, method === 'POST' ? hello : undefined, path, { method }),
        status,
        code,
        new RegExp(`${method} ${path.replace(/\/$/, '')}`),
      ),
    );
    test.each([
      ['GET', '/v1/chat/completions', 'POST, OPTIONS'],
      ['HEAD', '/v1/messages/count_tokens', 'POST, OPTIONS'],
      ['POST', '/v1/models', 'GET, HEAD, OPTIONS'],
      ['PUT', '/v1/models/gpt-4o', 'GET, HEAD, DELETE, OPTIONS'],
    ])('%s %s is told what is allowed there', async (method, path, allowed) => {
      const response = await fetch(hub().url + path, { method, headers: { authorization: `Bearer ${who.key}` } });
      expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    });
    test.each(['/v1/models', '/v1/models/gpt-4o', '/dashboard/billing/usage'])(
      'HEAD %s is answered as GET is, without the body',
      async (path) => {
        const ask = (method: string) =>
          fetch(hub().url + path, { method, headers: { authorization: `Bearer ${who.key}` } });
        const [got, head] = [await ask('GET'), await ask('HEAD')];
        expect([head.status, await head.text()]).toEqual([200, '']);
        for (const name of ['content-type', 'content-length'])
          expect(head.headers.get(name)).toBe(got.headers.get(name));
      },
    );
    test('a model name that is not encoded', () =>
      refused(
        () => post(hub(), who.key, '', '/v1/models/%E0%A4%A', { method: 'GET' }),
        400,
        'invalid_request',
        /not encoded/,
        'model',
      ));
  });

  test('a limit beyond all numbers is refused for want of credits, and not a failure', async () => {
    await hub().root.call(priceApi.create, {
      body: { model: 'dearest', type: 'tokens', channel_type: 1, input: 1_000_000, output: 1_000_000 },
    });
    await hub().root.call(userGroupApi.create, {
      body: { symbol: 'dear', name: 'dear', ratio: 1_000_000, public: true },
    });
    await addChannel(hub(), upstream().url, { models: 'dearest', group: 'dear' });
    who = await addCaller(db(), { tokenGroup: 'dear' });
    await refused(
      () => post(hub(), who.key, { ...hello, model: 'dearest', max_tokens: 1_073_741_823, n: 128 }),
      402,
      'insufficient_quota',
      /balance/,
    );
    expect(await rowsOf(db(), who)).toEqual([]);
  });

  test('no refusal was held against a channel', async () => {
    for (const channel of (await hub().root.call(channelApi.list)).data)
      expect(channel).toMatchObject({ last_error: '' });
  });
});
