import type { InputOf, UserGroup } from '@relay-hub/contract';
import { userGroup, userGroupApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { chat, lastLog, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addAccount, addPerson } from '#testing/people.ts';

onEveryDatabase('user groups', (makeDatabase) => {
  const hub = hubForSuite(makeDatabase);
  const upstream = upstreamForSuite();
  beforeAll(async () => void (await addChannel(hub(), upstream().url)));

  const add = (symbol: string, more: Partial<InputOf<typeof userGroupApi.create>['body']> = {}): Promise<UserGroup> =>
    hub().root.call(userGroupApi.create, { body: { symbol, name: symbol, ...more } });
  const bySymbol = async (symbol: string): Promise<UserGroup> =>
    (await hub().root.call(userGroupApi.list, { query: { size: 100 } })).data.find((group) => group.symbol === symbol)!;

  test('a new group is free only if that is said, since scripts send 0 for "not given"', async () => {
    const { root } = hub();
    const make = async (symbol: string, more: object) => {
      const { ratio, api_rate: rate } = await root.call(userGroupApi.create, {
        body: { symbol, name: symbol, ...more },
      });
      return [ratio, rate];
    };
    expect(await make('by_script', { ratio: 0, api_rate: 0 })).toEqual([1, 600]);
    expect(await make('by_console', { ratio: 0, api_rate: 0, keep_zero: true })).toEqual([0, 0]);
    expect(await make('by_both', { ratio: 0.5, api_rate: 7 })).toEqual([0.5, 7]);
  });

  test('are made, read, changed, switched and deleted', async () => {
    const { root } = hub();
    const made = await add('team-1', { name: '  Team  ', ratio: 0.8 });
    expect(made).toEqual({
      id: made.id,
      symbol: 'team-1',
      name: 'Team',
      ratio: 0.8,
      api_rate: 600,
      public: false,
      enable: true,
      token_limits: null,
      model_switch: null,
      limit_wait: null,
      channel_preference: null,
    });
    expect(await root.call(userGroupApi.get, { params: { id: made.id } })).toEqual({
      ...made,
      users: 0,
      tokens: 0,
      channels: 0,
      models: 0,
    });
    expect(await root.call(userGroupApi.symbols)).toContain('team-1');
    const changed = await root.send('PUT', '/api/user_group/', {
      id: made.id,
      name: 'T',
      ratio: 0,
      api_rate: 0,
      public: true,
      symbol: 'other',
      enable: false,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { ...made, name: 'T', ratio: 0, api_rate: 0, public: true } },
    });
    expect((await root.call(userGroupApi.toggle, { params: { id: made.id } })).enable).toBe(false);
    expect(await root.call(userGroupApi.symbols)).not.toContain('team-1');
    expect((await root.call(userGroupApi.toggle, { params: { id: made.id } })).enable).toBe(true);
    // Requests that name the state can be repeated, as after a lost reply.
    for (const enable of ['false', 'false', 'true', 'true'] as const) {
      const { enable: is } = await root.call(userGroupApi.toggle, { params: { id: made.id }, query: { enable } });
      expect(is).toBe(enable === 'true');
    }
    await root.call(userGroupApi.remove, { params: { id: made.id } });
    for (const endpoint of [userGroupApi.get, userGroupApi.toggle, userGroupApi.remove]) {
      expect(await root.try(endpoint, { params: { id: made.id } })).toMatchObject({
        status: 404,
        body: { code: 'record.not_found', field: 'id' },
      });
    }
    expect(
      await root.try(userGroupApi.update, { body: { id: made.id, name: 'x', ratio: 1, api_rate: 1, public: true } }),
    ).toMatchObject({ status: 404 });
  });

  test('a symbol is there once', async () => {
    await add('once');
    expect(await hub().root.try(userGroupApi.create, { body: { symbol: 'once', name: 'again' } })).toMatchObject({
      status: 409,
      body: { code: 'record.exists', field: 'symbol', message: 'once already exists' },
    });
    expect(await bySymbol('once')).toMatchObject({ name: 'once' });
  });

  test.each<[why: string, change: Record<string, unknown>, field: string]>([
    ['no symbol', { symbol: '' }, 'symbol'],
    ['a symbol with a comma', { symbol: 'a,b' }, 'symbol'],
    ['a symbol with a space', { symbol: 'a b' }, 'symbol'],
    ['a symbol that no map could carry', { symbol: '__proto__' }, 'symbol'],
    ['no name', { name: '' }, 'name'],
    ['a name of spaces', { name: '  ' }, 'name'],
    ['a ratio below 0', { ratio: -0.1 }, 'ratio'],
    ['a ratio as text', { ratio: '1' }, 'ratio'],
    ['a rate below 0', { api_rate: -1 }, 'api_rate'],
    ['half a rate', { api_rate: 1.5 }, 'api_rate'],
    ['a flag as text', { public: 'true' }, 'public'],
  ])('%s is refused', async (_, change, field) => {
    const { root } = hub();
    const refused = { status: 400, body: { success: false, code: 'input.invalid', field } };
    expect(await root.send('POST', '/api/user_group/', { symbol: 'refused', name: 'x', ...change })).toMatchObject(
      refused,
    );
    expect(await root.call(userGroupApi.symbols)).not.toContain('refused');
    if (field === 'symbol') return;
    const before = await bySymbol('svip');
    expect(await root.send('PUT', '/api/user_group/', { ...before, name: 'x', ...change })).toMatchObject(refused);
    expect(await bySymbol('svip')).toEqual(before);
  });

  test('the default group can be neither deleted nor switched off', async () => {
    const { id } = await bySymbol('default');
    for (const endpoint of [userGroupApi.remove, userGroupApi.toggle]) {
      expect(await hub().root.try(endpoint, { params: { id } })).toMatchObject({
        status: 409,
        body: { code: 'group.default' },
      });
    }
    expect(await bySymbol('default')).toMatchObject({ enable: true });
  });

  test('a group in use can be neither deleted nor disabled, and its uses are reported', async () => {
    const { root } = hub();
    const { id } = await add('used', { public: true });
    await addAccount(hub(), { group: 'used' });
    await addAccount(hub(), { group: 'used', deleted_time: 1 });
    await tokenOf(root, { group: 'used' });
    await tokenOf(root, { group: 'used' });
    await addChannel(hub(), upstream().url, { group: 'default,used', models: 'x' });
    await addChannel(hub(), upstream().url, { group: 'default', models: 'x' });
    const message = 'The user group used is still in use (users: 1, tokens: 2, channels: 1)';
    for (const endpoint of [userGroupApi.remove, userGroupApi.toggle]) {
      expect(await root.try(endpoint, { params: { id } })).toMatchObject({
        status: 409,
        body: { code: 'group.in_use', message },
      });
    }
    expect(await bySymbol('used')).toMatchObject({ enable: true });
    const before = await bySymbol('used');
    const body = { id, name: 'other', ratio: 3, api_rate: 1, public: false, set_enable: false };
    expect(await root.try(userGroupApi.update, { body })).toMatchObject({
      status: 409,
      body: { code: 'group.in_use' },
    });
    expect(await bySymbol('used'), 'neither switched nor changed').toEqual(before);
  });

  test('a change and the switch are one step', async () => {
    const { root } = hub();
    const { id, ratio } = await add('stepped');
    const set = (change: { name: string; set_enable?: boolean }) =>
      root.call(userGroupApi.update, { body: { id, ratio, api_rate: 60, public: false, ...change } });
    expect(await set({ name: 'off', set_enable: false })).toMatchObject({ name: 'off', enable: false });
    expect(await root.call(userGroupApi.symbols)).not.toContain('stepped');
    expect(await set({ name: 'still off' })).toMatchObject({ name: 'still off', enable: false });
    expect(await set({ name: 'on', set_enable: true })).toMatchObject({ name: 'on', enable: true });
    const { id: first, name, ratio: now, api_rate, public: isPublic } = await bySymbol('default');
    const body = { id: first, name, ratio: now, api_rate, public: isPublic };
    expect((await root.try(userGroupApi.update, { body: { ...body, set_enable: true } })).status).toBe(200);
    expect(await root.try(userGroupApi.update, { body: { ...body, set_enable: false } })).toMatchObject({
      status: 409,
      body: { code: 'group.default' },
    });
  });

  test('a visitor sees the public groups, a user also the own one', async () => {
    const { root, url } = hub();
    await add('hidden', { public: true, enable: false });
    const visitor = await new ApiClient(url).call(userGroupApi.map);
    const { client } = await addPerson(hub(), { group: 'svip' });
    const member = await client.call(userGroupApi.map);
    expect(Object.keys(visitor)).toContain('default');
    for (const symbol of ['vip', 'svip', 'hidden']) expect(visitor).not.toHaveProperty(symbol);
    expect(Object.keys(member).toSorted()).toEqual([...Object.keys(visitor), 'svip'].toSorted());
    expect(await bySymbol('svip')).toMatchObject(member['svip']!);
    expect(Object.keys(member['svip']!).toSorted()).toEqual(Object.keys(userGroup.shape).toSorted());
    expect(Object.keys(await root.call(userGroupApi.map)).toSorted()).toEqual(Object.keys(visitor).toSorted());
  });

  test.each<[Record<string, string>, string[]]>([
    [{ Name: 'VI' }, ['vip']],
    [{ Name: 'sv' }, ['svip']],
    [{ Name: 'ip' }, []],
    [{ enable: 'true', Name: 'v' }, ['vip']],
    [{ enable: 'false', Name: 'v' }, []],
  ])('%o finds %o', async (query, expected) => {
    const { data } = await hub().root.call(userGroupApi.list, { query });
    expect(data.map(({ symbol }) => symbol)).toEqual(expected);
  });

  test('a new ratio counts from the next call', async () => {
    const { root } = hub();
    const { key } = await addToken(hub());
    const { id } = await bySymbol('default');
    const setRatio = (ratio: number) =>
      root.call(userGroupApi.update, { body: { id, name: 'x', ratio, api_rate: 600, public: true } });
    const cost = async () => {
      expect((await chat(hub(), key, 'gpt-4o', 'word '.repeat(400))).status).toBe(200);
      const { quota, metadata } = await lastLog(hub());
      return { quota, ratio: metadata?.group_ratio };
    };
    const whole = await cost();
    await setRatio(0.5);
    const half = await cost();
    await setRatio(0);
    const free = await cost();
    await setRatio(1);
    expect(whole.ratio).toBe(1);
    expect(whole.quota).toBeGreaterThan(100);
    expect(half).toEqual({ quota: Math.ceil(whole.quota / 2), ratio: 0.5 });
    expect(free).toEqual({ quota: 0, ratio: 0 });
  });
});
