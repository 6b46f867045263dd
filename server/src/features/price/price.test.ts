import type { Price, PriceInput } from '@relay-hub/contract';
import { priceApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { chat, lastLog } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, ApiClient, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const terms = { type: 'tokens', channel_type: 1, input: 2, output: 4 } as const;

onEveryDatabase('prices', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let key: string;

  beforeAll(async () => {
    ({ key } = await addToken(hub()));
    await addChannel(hub(), upstream().url, { models: 'gpt-4o,priced*,vendor/model:free' });
  });

  const list = async (): Promise<Map<string, Price>> =>
    new Map((await hub().root.call(priceApi.list)).map((price) => [price.model, price as Price]));
  const rows = (model: string) =>
    hub().server.deps.db.selectFrom('prices').selectAll().where('model', '=', model).orderBy('version').execute();
  const charged = async (model: string) => {
    expect((await chat(hub(), key, model)).status).toBe(200);
    const { metadata } = await lastLog(hub());
    return { input: metadata?.input_ratio, output: metadata?.output_ratio, version: metadata?.price_version };
  };

  test('a name may contain a slash in the path', async () => {
    const { root } = hub();
    await root.call(priceApi.create, { body: { model: 'org/model', ...terms } });
    const changed = { model: 'org/model', ...terms, input: 3 };
    expect(await root.send('PUT', '/api/prices/single/org/model', changed)).toMatchObject({
      body: { data: { input: 3 } },
    });
    expect((await list()).get('org/model')?.input).toBe(3);
    expect((await root.send('DELETE', '/api/prices/single/org/model')).status).toBe(200);
    expect((await list()).has('org/model')).toBe(false);
  });

  test('a new installation has the built-in prices, sorted by owner and model', async () => {
    const builtIn = await hub().root.call(priceApi.list, { query: { type: 'default' } });
    const inForce = await new ApiClient(hub().url).call(priceApi.list);
    expect(builtIn.length).toBeGreaterThan(50);
    expect(inForce.toSorted(byModel)).toMatchObject(builtIn.toSorted(byModel));
    const owners = inForce.map(({ channel_type: owner }) => owner);
    expect(owners).toEqual(owners.toSorted((a, b) => a - b));
    const former = await fetch(`${hub().url}/api/prices?type=old`);
    expect(await former.json()).toEqual(inForce);
    expect((await hub().root.send('GET', '/api/prices?type=older')).status).toBe(400);
  });

  test('a price is made once', async () => {
    const made = await hub().root.call(priceApi.create, { body: { model: 'priced-once', ...terms } });
    expect(made).toMatchObject({ model: 'priced-once', ...terms, version: expect.any(Number) });
    expect(await hub().root.try(priceApi.create, { body: { model: 'priced-once', ...terms, input: 9 } })).toMatchObject(
      { status: 409, body: { code: 'record.exists', field: 'model' } },
    );
    expect((await list()).get('priced-once')).toMatchObject({ input: 2 });
    expect(await rows('priced-once')).toHaveLength(1);
  });

  test('a change ends the version in force and begins another, in force on the next call', async () => {
    const { root } = hub();
    const body = { model: 'priced-change', ...terms, extra_ratios: { cached_tokens_ratio: 0.25 } };
    const first = await root.call(priceApi.create, { body });
    expect(await charged('priced-change')).toEqual({ input: 2, output: 4, version: first.version });
    const second = await root.call(priceApi.update, {
      params: { model: 'priced-change' },
      body: { ...body, input: 0.5, output: 0 },
    });
    expect(second.version).toBeGreaterThan(first.version);
    expect(second).toMatchObject({ input: 0.5, output: 0, extra_ratios: { cached_tokens_ratio: 0.25 } });
    expect(await charged('priced-change')).toEqual({ input: 0.5, output: 0, version: second.version });
    const [old, current] = await rows('priced-change');
    expect(old).toMatchObject({ version: first.version, input: 2, valid_to: expect.any(Number) });
    expect(current).toMatchObject({ version: second.version, input: 0.5, valid_to: null });
    expect((await root.call(priceApi.list)).filter(({ model }) => model === 'priced-change')).toHaveLength(1);
  });

  test('a name with slashes and colons is changed and deleted by its name', async () => {
    const model = 'vendor/model:free';
    const { root } = hub();
    await root.call(priceApi.create, { body: { model, ...terms } });
    expect(await root.call(priceApi.update, { params: { model }, body: { model, ...terms, input: 0 } })).toMatchObject({
      model,
      input: 0,
    });
    expect(await charged(model)).toMatchObject({ input: 0 });
    await root.call(priceApi.remove, { params: { model } });
    expect((await chat(hub(), key, model)).status).toBe(400);
  });

  test('a rename needs a free name, and otherwise changes nothing', async () => {
    const { root } = hub();
    await root.call(priceApi.create, { body: { model: 'priced-a', ...terms } });
    await root.call(priceApi.create, { body: { model: 'priced-b', ...terms, input: 7 } });
    expect(
      await root.try(priceApi.update, { params: { model: 'priced-a' }, body: { model: 'priced-b', ...terms } }),
    ).toMatchObject({ status: 409, body: { code: 'record.exists', field: 'model' } });
    expect((await list()).get('priced-a')).toMatchObject({ input: 2 });
    expect((await list()).get('priced-b')).toMatchObject({ input: 7 });
    await root.call(priceApi.update, { params: { model: 'priced-a' }, body: { model: 'priced-c', ...terms } });
    expect([...(await list()).keys()].filter((model) => /^priced-[abc]$/.test(model)).toSorted()).toEqual([
      'priced-b',
      'priced-c',
    ]);
  });

  test('what has no price can be neither changed nor deleted', async () => {
    const none = { status: 404, body: { code: 'record.not_found', field: 'model' } };
    expect(
      await hub().root.try(priceApi.update, { params: { model: 'nothing' }, body: { model: 'nothing', ...terms } }),
    ).toMatchObject(none);
    expect(await hub().root.try(priceApi.remove, { params: { model: 'nothing' } })).toMatchObject(none);
    expect((await list()).has('nothing')).toBe(false);
  });

  test.each<[why: string, change: Record<string, unknown>, field: string]>([
    ['no model', { model: '' }, 'model'],
    ['two models', { model: 'a,b' }, 'model'],
    ['a wildcard alone', { model: '*' }, 'model'],
    ['a wildcard in front', { model: '*-mini' }, 'model'],
    ['a wildcard in the middle', { model: 'gpt-*-mini' }, 'model'],
    ['no type', { type: undefined }, 'type'],
    ['another type', { type: 'minutes' }, 'type'],
    ['no owner', { channel_type: undefined }, 'channel_type'],
    ['no input', { input: undefined }, 'input'],
    ['no output', { output: undefined }, 'output'],
    ['an input below 0', { input: -0.001 }, 'input'],
    ['an output as text', { output: '1' }, 'output'],
    ['a multiple below 0', { extra_ratios: { reasoning_tokens_ratio: -1 } }, 'extra_ratios.reasoning_tokens_ratio'],
  ])('%s is refused', async (_, change, field) => {
    const refused = { status: 400, body: { success: false, code: 'input.invalid', field } };
    const before = await list();
    expect(
      await hub().root.send('POST', '/api/prices/single', { model: 'refused', ...terms, ...change }),
    ).toMatchObject(refused);
    expect(
      await hub().root.send('PUT', '/api/prices/single/gpt-4o', { model: 'gpt-4o', ...terms, ...change }),
    ).toMatchObject(refused);
    expect(await list()).toEqual(before);
  });

  test('the exact name wins over the longest prefix, that over a shorter one', async () => {
    const { root } = hub();
    const prices: [string, number][] = [
      ['priced-w*', 1],
      ['priced-wild-*', 2],
      ['priced-wild-x*', 3],
      ['priced-wild-xy', 4],
    ];
    for (const [model, input] of prices) await root.call(priceApi.create, { body: { model, ...terms, input } });
    expect((await charged('priced-wild-xy')).input).toBe(4);
    expect((await charged('priced-wild-xyz')).input).toBe(3);
    expect((await charged('priced-wild-a')).input).toBe(2);
    expect((await charged('priced-well')).input).toBe(1);
    await root.call(priceApi.remove, { params: { model: 'priced-wild-x*' } });
    expect((await charged('priced-wild-xyz')).input).toBe(2);
    expect((await chat(hub(), key, 'priced-unknown')).status).toBe(400);
  });

  test('names with a price or a serving channel are listed', async () => {
    const names = await hub().root.call(priceApi.names);
    expect(names).toEqual([...new Set(names)].toSorted());
    for (const name of ['priced*', 'vendor/model:free', 'gpt-4o']) expect(names).toContain(name);
  });

  test('available models are those that a visitor, or a member, can call', async () => {
    const { root, url } = hub();
    await root.call(userGroupApi.create, { body: { symbol: 'open', name: 'open', public: true } });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o-mini,unpriced,constructor', group: 'vip' });
    await addChannel(hub(), upstream().url, { models: 'gpt-4o', group: 'open,vip' });
    await addChannel(hub(), upstream().url, { models: 'sleeping', status: 2 });
    const visitor = await new ApiClient(url).call(priceApi.available);
    expect(visitor['gpt-4o']).toMatchObject({
      groups: ['default', 'open'],
      owned_by: 'OpenAI',
      context: 128_000,
      price: { model: 'gpt-4o', input: 1.25 },
    });
    for (const model of ['gpt-4o-mini', 'unpriced', 'sleeping']) expect(visitor).not.toHaveProperty(model);
    const { client } = await addPerson(hub(), { group: 'vip' });
    const member = await client.call(priceApi.available);
    expect(member['gpt-4o']?.groups.toSorted()).toEqual(['default', 'open', 'vip']);
    expect(member['gpt-4o-mini']).toMatchObject({ groups: ['vip'], price: { model: 'gpt-4o-mini' } });
    expect(member).not.toHaveProperty('unpriced');
    await root.call(priceApi.create, { body: { model: 'constructor', ...terms, input: 1 } });
    const now = await client.call(priceApi.available);
    expect(Object.keys(now)).toContain('constructor');
    // Its context length is not published.
    expect(now['constructor']).not.toHaveProperty('context');
  });
});

onEveryDatabase('prices after a restart', (make) => {
  test('stay as they were changed, and deleted ones do not come back', async () => {
    const database = await make();
    try {
      const first = await startHub(database);
      await first.root.call(priceApi.remove, { params: { model: 'gpt-4o' } });
      await first.root.call(priceApi.update, {
        params: { model: 'gpt-4' },
        body: { model: 'gpt-4', ...terms, input: 99 },
      });
      const before = await first.root.call(priceApi.list);
      await first.close();
      const second = await startHub(database);
      const after = await second.root.call(priceApi.list);
      await second.close();
      expect(after).toEqual(before);
      expect(after.find(({ model }) => model === 'gpt-4o')).toBeUndefined();
      expect(after.find(({ model }) => model === 'gpt-4')).toMatchObject({ input: 99 });
    } finally {
      await database.remove();
    }
  });
});

const byModel = (a: PriceInput, b: PriceInput): number => (a.model < b.model ? -1 : 1);
