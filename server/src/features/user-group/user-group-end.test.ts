import { channelApi, tokenApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { addAccount, addPerson } from '#testing/people.ts';

onEveryDatabase('what names a user group', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let count = 0;

  const add = (more: { public?: boolean; enable?: boolean } = {}) => {
    const symbol = `g${++count}`;
    return hub().root.call(userGroupApi.create, { body: { symbol, name: symbol, ...more } });
  };
  const groupOfUser = async (id: number) =>
    (await hub().server.deps.db.selectFrom('users').select('group').where('id', '=', id).executeTakeFirstOrThrow())
      .group;

  beforeAll(async () => void (await addChannel(hub(), upstream().url)));

  test('is counted in the list, without what was deleted', async () => {
    const { root } = hub();
    const group = await add({ public: true });
    const other = await add({ public: true });
    const member = await addPerson(hub(), { group: group.symbol });
    await addAccount(hub(), { group: group.symbol, deleted_time: 1 });
    await tokenOf(member.client, { group: group.symbol });
    const gone = await tokenOf(member.client, { group: group.symbol });
    await member.client.call(tokenApi.remove, { params: { id: gone.id } });
    await addChannel(hub(), upstream().url, { group: `default,${group.symbol}`, models: 'one,two' });
    const channel = await addChannel(hub(), upstream().url, { group: group.symbol, models: 'two,three' });
    const removed = await addChannel(hub(), upstream().url, { group: group.symbol, models: 'four' });
    await root.call(channelApi.remove, { params: { id: removed } });

    const { data } = await root.call(userGroupApi.list, { query: { size: 100 } });
    const row = (symbol: string) => data.find((each) => each.symbol === symbol);
    expect(row(group.symbol)).toEqual({ ...group, users: 1, tokens: 1, channels: 2, models: 3 });
    expect(row(other.symbol)).toEqual({ ...other, users: 0, tokens: 0, channels: 0, models: 0 });
    await root.call(channelApi.update, { body: { id: channel, status: 2 } });
    expect(await root.call(userGroupApi.get, { params: { id: group.id } })).toMatchObject({ channels: 2, models: 2 });
  });

  test('of twenty who make a symbol at once, one does', async () => {
    const body = { symbol: 'raced', name: 'x' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => hub().root.try(userGroupApi.create, { body })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body: told } of answers.filter((answer) => answer.status !== 200))
      expect({ status, told }).toMatchObject({ status: 409, told: { code: 'record.exists', field: 'symbol' } });
  });

  describe('can be given another group', () => {
    const move = (id: number, replacement: string) =>
      hub().root.try(userGroupApi.remove, { params: { id }, query: { replacement } });

    test('a public one: users, tokens and channels take it, and calls go on', async () => {
      const { root } = hub();
      const [from, to] = [await add({ public: true }), await add({ public: true })];
      const member = await addPerson(hub(), { group: from.symbol, quota: 1_000_000 });
      const stranger = await addPerson(hub(), { quota: 1_000_000 });
      const own = await tokenOf(member.client);
      const named = await tokenOf(stranger.client, { group: from.symbol });
      const channel = await addChannel(hub(), upstream().url, { group: `${from.symbol},default`, models: 'm-1' });
      const both = await addChannel(hub(), upstream().url, { group: `${to.symbol},${from.symbol}`, models: 'm-2' });
      expect((await chat(hub(), named.key, 'm-1')).status).not.toBe(403);

      expect(await move(from.id, to.symbol)).toMatchObject({ status: 200, body: { success: true } });
      expect(await root.try(userGroupApi.get, { params: { id: from.id } })).toMatchObject({ status: 404 });
      expect(await groupOfUser(member.id)).toBe(to.symbol);
      expect(await stranger.client.call(tokenApi.get, { params: { id: named.id } })).toMatchObject({
        group: to.symbol,
      });
      const groups = async (id: number) => (await root.call(channelApi.get, { params: { id } })).group;
      expect(await groups(channel)).toBe(`${to.symbol},default`);
      expect(await groups(both)).toBe(to.symbol);
      expect(hub().server.deps.live.routes.modelsOf(to.symbol)).toEqual(['m-1', 'm-2']);
      for (const { key } of [own, named]) expect((await chat(hub(), key, 'm-1')).status).not.toBe(403);
    });

    test('a private one: tokens of those who may not choose it follow their user', async () => {
      const [from, to] = [await add({ public: true }), await add()];
      const member = await addPerson(hub(), { group: to.symbol });
      const stranger = await addPerson(hub());
      const mine = await tokenOf(member.client, { group: from.symbol });
      const theirs = await tokenOf(stranger.client, { group: from.symbol });
      expect((await move(from.id, to.symbol)).status).toBe(200);
      const group = async (person: typeof member, id: number) =>
        (await person.client.call(tokenApi.get, { params: { id } })).group;
      expect(await group(member, mine.id)).toBe(to.symbol);
      expect(await group(stranger, theirs.id)).toBe('');
    });

    test.each<[why: string, replacement: (own: string) => string, code: string]>([
      ['itself', (own) => own, 'group.replacement'],
      ['none that there is', () => 'nowhere', 'group.unknown'],
      ['one that is switched off', () => 'asleep', 'group.unknown'],
    ])('%s is refused, and nothing moves', async (_, replacement, code) => {
      const { root } = hub();
      await root.try(userGroupApi.create, { body: { symbol: 'asleep', name: 'x', enable: false } });
      const from = await add();
      const { id } = await addAccount(hub(), { group: from.symbol });
      expect(await move(from.id, replacement(from.symbol))).toMatchObject({
        status: 400,
        body: { code, field: 'replacement' },
      });
      expect(await groupOfUser(id)).toBe(from.symbol);
      expect(await root.call(userGroupApi.get, { params: { id: from.id } })).toMatchObject({ users: 1 });
    });

    test('the default group has no replacement', async () => {
      const { data } = await hub().root.call(userGroupApi.list, { query: { size: 100 } });
      const { id } = data.find(({ symbol }) => symbol === 'default')!;
      expect(await move(id, 'vip')).toMatchObject({ status: 409, body: { code: 'group.default' } });
    });
  });
});
