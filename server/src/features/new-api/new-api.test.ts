import { channelApi, newApi, priceApi, siteApi, tokenApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { hello, post } from '#testing/relay-calls.ts';

onOneDatabase('tools of new-api', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let owner: TestPerson;
  let other: TestPerson;
  let key: string;
  let id: number;

  beforeAll(async () => {
    owner = await addPerson(hub(), { quota: 10_000_000 });
    other = await addPerson(hub(), { quota: 10_000_000 });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,per-call,unpriced' });
    const price = { model: 'per-call', type: 'times', channel_type: 1, input: 5, output: 5 } as const;
    await hub().root.call(priceApi.create, { body: price });
    const body = { name: 'tool', remain_quota: 1_000_000, model_limits: 'gpt-4o', model_limits_enabled: true };
    const made = await owner.client.call(tokenApi.create, { body });
    ({ key } = made);
    id = made.token.id;
    upstream().next({ usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 } });
    expect((await post(hub(), key, hello)).status).toBe(200);
  });

  const get = async (path: string, headers: Record<string, string> = { authorization: `Bearer ${key}` }) => {
    const response = await fetch(hub().url + path, { headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('read a key by its id, and those of a list, which leaves out ids of others', async () => {
    expect(await owner.client.call(newApi.tokenKey, { params: { id } })).toEqual({ key: key.slice(3) });
    expect(await owner.client.call(newApi.tokenKeys, { body: { ids: [id, 987_654] } })).toEqual({
      keys: { [id]: key.slice(3) },
    });
    expect((await other.client.try(newApi.tokenKey, { params: { id } })).status).toBe(404);
    expect(await other.client.call(newApi.tokenKeys, { body: { ids: [id] } })).toEqual({ keys: {} });
    for (const ids of [[], Array.from({ length: 101 }, (_, at) => at + 1), [0]])
      expect(await owner.client.try(newApi.tokenKeys, { body: { ids } })).toMatchObject({ status: 400 });
    expect((await new ApiClient(hub().url).try(newApi.tokenKey, { params: { id } })).status).toBe(401);
  });

  test.each(['/api/usage/token', '/api/usage/token/', '/api/usage/token/?at=1'])(
    'see the quota of a key at %s',
    async (path) => {
      expect(await get(path)).toEqual({
        status: 200,
        body: {
          code: true,
          success: true,
          message: 'ok',
          data: {
            object: 'token_usage',
            name: 'tool',
            total_granted: 1_000_000,
            total_used: 6250,
            total_available: 993_750,
            unlimited_quota: false,
            model_limits: { 'gpt-4o': true },
            model_limits_enabled: true,
            expires_at: 0,
          },
        },
      });
    },
  );

  test('see the calls of a key, which may be in the query, and never the channel', async () => {
    for (const [path, headers] of [
      ['/api/log/token', { authorization: `Bearer ${key}` }],
      [`/api/log/token?key=${key}`, {}],
    ] as const) {
      const { status, body } = await get(path, headers);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        data: [{ token_name: 'tool', model_name: 'gpt-4o', quota: 6250, channel_id: 0 }],
      });
    }
  });

  test.each(['/api/usage/token', '/api/log/token?key=sk-wrong'])(
    '%s refuses other keys in its own form',
    async (path) => {
      for (const headers of [{}, { authorization: 'Bearer sk-wrong' }])
        expect(await get(path, headers)).toMatchObject({
          status: 401,
          body: { success: false, code: 'invalid_api_key', message: expect.any(String) },
        });
    },
  );

  test('see models and groups of their user', async () => {
    const body = { symbol: 'inner', name: 'Inner circle', ratio: 2, public: false };
    await hub().root.call(userGroupApi.create, { body });
    const groups = await owner.client.call(newApi.groups);
    expect(groups['default']).toEqual({ ratio: 1, desc: expect.any(String) });
    expect(groups).not.toHaveProperty('inner');
    expect(await owner.client.call(newApi.models)).toEqual(['gpt-4o', 'per-call']);
    expect(await owner.client.call(newApi.models, { query: { group: 'inner' } })).toEqual([]);
  });

  test('read prices in ratios', async () => {
    const { body } = await get('/api/pricing', {});
    expect(body).toMatchObject({ success: true, usable_group: { default: expect.any(String) } });
    const prices = body['data'] as Record<string, unknown>[];
    const of = (name: string) => prices.find(({ model_name: model }) => model === name);
    expect(of('gpt-4o')).toMatchObject({
      quota_type: 0,
      model_ratio: 1.25,
      completion_ratio: 4,
      cache_ratio: 0.5,
      enable_groups: ['default'],
    });
    // Five times $0.002.
    expect(of('per-call')).toMatchObject({ quota_type: 1, model_price: 0.01, model_ratio: 0 });
    expect(of('unpriced')).toBeUndefined();
    expect((await get('/api/ratio_config', {})).body['data']).toMatchObject({
      model_ratio: { 'gpt-4o': 1.25 },
      completion_ratio: { 'gpt-4o': 4 },
      model_price: { 'per-call': 0.01 },
    });
  });

  test('create channels in that form, of weight 0 and with null for fields that are not set', async () => {
    const channel = { type: 1, name: 'synced', key: 'sk-a\nsk-b', models: 'gpt-4o', weight: 0, tag: null };
    const send = (mode: string) =>
      hub().root.send('POST', '/api/channel/', { mode, channel: { ...channel, name: mode } });
    for (const mode of ['single', 'multi_to_single']) expect((await send(mode)).status).toBe(200);
    const { data } = await hub().root.call(channelApi.list, { query: { size: 100 } });
    expect(data.filter(({ name }) => name.startsWith('single')).map(({ weight }) => weight)).toEqual([1, 1]);
    expect(data.filter(({ name }) => name.startsWith('multi')).map((each) => each.key_count)).toEqual([2]);
  });

  test('ask for the models of a stored channel by the reference that family mode shows as its key', async () => {
    const stored = await addChannel(hub(), upstream().url, { name: 'stored', key: 'sk-stored-key-000' });
    const body = { type: 1, base_url: upstream().url, key: `channel:${stored}` };
    await hub().root.call(channelApi.providerModels, { body });
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer sk-stored-key-000');
    const elsewhere = { ...body, base_url: 'http://127.0.0.1:1' };
    expect(await hub().root.try(channelApi.providerModels, { body: elsewhere })).toMatchObject({
      body: { code: 'channel.key_again' },
    });
  });

  test('find the picture of a model owner at the address that the list has', async () => {
    const owners = await new ApiClient(hub().url).call(siteApi.ownerMap);
    expect(owners['1']).toMatchObject({ name: 'OpenAI', icon: '/icons/openai.svg' });
    expect((await fetch(`${hub().url}/icons/no-such-mark.svg`)).status).toBe(404);
  });

  test('a key sees its own usage by day and model', async () => {
    const before = (await get('/v1/usage?days=2')).body as { total: { requests: number } };
    expect(before.total.requests).toBe(1);
    upstream().next({ usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 } });
    expect((await post(hub(), key, hello)).status).toBe(200);
    // A call that has just ended is in the sums.
    const { status, body } = await get('/v1/usage?days=2&time_zone=UTC');
    expect(status).toBe(200);
    const calls = { requests: 2, failures: 0, prompt_tokens: 2000, completion_tokens: 2000, cached_tokens: 0 };
    const charge = { credits: 12_500, cost_usd: 0.025 };
    expect(body).toMatchObject({
      object: 'usage',
      name: 'tool',
      step: 'hour',
      time_zone: 'UTC',
      total: { ...calls, ...charge },
      data: [{ model: 'gpt-4o', ...calls, ...charge }],
    });
    for (const [query, field] of [
      ['days=0', 'days'],
      ['days=x', 'days'],
      ['from=2026-13-01&to=2026-01-02', 'from'],
      ['time_zone=Nowhere/Town', 'time_zone'],
    ] as const)
      expect(await get(`/v1/usage?${query}`)).toMatchObject({ status: 400, body: { error: { param: field } } });
    expect((await get('/v1/usage', {})).status).toBe(401);
  });
});
