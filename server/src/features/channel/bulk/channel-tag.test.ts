import { channelApi, channelBatchApi, channelStatus, channelTagApi } from '@relay-hub/contract';
import { beforeEach, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

const address = 'http://127.0.0.1:9';

onEveryDatabase('tags of channels', (make) => {
  const hub = hubForSuite(make);
  let first = 0;

  beforeEach(async () => {
    await hub().server.deps.db.updateTable('channels').set({ deleted_time: 1 }).execute();
    const eu = { tag: 'eu/west 1', models: 'gpt-4o', key: 'eu-key-1', model_headers: '{"x-a":"one"}' };
    first = await addChannel(hub(), address, { ...eu, name: 'first', priority: 2 });
    await addChannel(hub(), address, {
      ...eu,
      name: 'second',
      key: 'eu-key-2',
      models: 'o3,gpt-4o',
      group: 'vip',
      status: 2,
      priority: 8,
    });
    await addChannel(hub(), address, { name: 'other', tag: 'us' });
    await addChannel(hub(), address, { name: 'free' });
  });

  const tag = 'eu/west 1';
  const members = () => hub().root.call(channelTagApi.members, { params: { tag } });
  const update = (body: object) =>
    hub().root.try(channelTagApi.update, { params: { tag }, body: { key: '', ...body } });

  test('are listed, each with what its channels are together', async () => {
    const { root } = hub();
    expect(await root.call(channelTagApi.names)).toEqual([
      { id: 0, tag },
      { id: 0, tag: 'us' },
    ]);
    const { db } = hub().server.deps;
    const failedTest = { last_error: '401 no', last_error_time: 1000, test_time: 1000 };
    await db
      .updateTable('channels')
      .set({ ...failedTest, used_quota: 70 })
      .where('id', '=', first)
      .execute();
    const page = await root.call(channelTagApi.list);
    expect(page).toMatchObject({ total_count: 2, page: 1 });
    expect(page.data[0]).toEqual({
      id: 0,
      tag,
      type: 8,
      types: [8],
      models: 'gpt-4o,o3',
      group: 'default,vip',
      channels: 2,
      enabled: 1,
      disabled: 1,
      test_disabled: 0,
      failing: 1,
      priority: 8,
      lowest_priority: 2,
      used_quota: 70,
    });
    const named = async (query: object) => (await root.call(channelTagApi.list, { query })).data.map((row) => row.tag);
    expect(await named({ order: '-channels' })).toEqual([tag, 'us']);
    expect(await named({ order: 'channels' })).toEqual(['us', tag]);
    expect(await named({ keyword: 'second' })).toEqual([tag]);
    expect(await named({ tag: 'us' })).toEqual(['us']);
    expect(await named({ size: 1, page: 2 })).toEqual(['us']);
  });

  test('a tag’s record is its first channel, with the hints of all keys', async () => {
    const told = await hub().root.call(channelTagApi.get, { params: { tag } });
    expect(told).toMatchObject({ id: first, name: 'first', key: '' });
    expect(told.keys.map(({ key_hint: hint }) => hint)).toEqual(['••••••••', '••••••••']);
    expect((await members()).map(({ name }) => name)).toEqual(['first', 'second']);
  });

  test('named fields are set on all channels, and may be empty; others stay', async () => {
    await update({ test_model: 'o3', only_chat: true, weight: 4 });
    expect(await members()).toMatchObject(
      Array.from({ length: 2 }, () => ({ test_model: 'o3', only_chat: true, weight: 4 })),
    );
    await update({ test_model: '', only_chat: false });
    const [one, two] = await members();
    expect(one).toMatchObject({ test_model: '', only_chat: false, weight: 4, models: 'gpt-4o', priority: 2 });
    expect(two).toMatchObject({ test_model: '', only_chat: false, weight: 4, models: 'o3,gpt-4o', priority: 8 });
  });

  test('a new proxy would see the keys of all in the open, so it is refused', async () => {
    const before = await members();
    const answer = await update({ weight: 3, proxy: 'http://proxy.example:1' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'channel.key_again', field: 'key' } });
    expect(await members()).toEqual(before);
  });

  test('a change can be taken back', async () => {
    const before = await members();
    const { body } = await update({ test_model: 'o3', only_chat: true, idle_timeout: 9, tag: 'moved' });
    const { data } = body as { data: { undo: string; changed: number } };
    expect(data).toMatchObject({ count: 2, changed: 2, added: 0 });
    expect(await hub().root.try(channelTagApi.members, { params: { tag } })).toMatchObject({ status: 404 });
    const moved = await hub().root.call(channelTagApi.members, { params: { tag: 'moved' } });
    expect(moved).toMatchObject([
      { only_chat: true, idle_timeout: 9 },
      { test_model: 'o3', models: 'o3,gpt-4o' },
    ]);
    await hub().root.call(channelBatchApi.undo, { body: { undo: data.undo } });
    expect(await members()).toEqual(before);
  });

  test('each key that no channel of it has becomes a further one, and with `add` none is deleted', async () => {
    const { body } = await update({
      key: 'eu-key-2\neu-key-3\neu-key-3\neu-key-4',
      key_mode: 'add',
      priority: 3,
    });
    const { data } = body as { data: { undo: string } };
    expect(data).toMatchObject({ changed: 2, added: 2, removed: 0 });
    const now = await members();
    expect(now.map(({ name }) => name)).toEqual(['first', 'second', 'first_3', 'first_4']);
    expect(now[2]).toMatchObject({ priority: 3, models: 'gpt-4o', used_quota: 0, key_count: 1 });
    const { live } = hub().server.deps;
    expect(live.routes.channelsFor('default', 'gpt-4o').find(({ name }) => name === 'first_3')).toMatchObject({
      key: 'eu-key-3',
      headers: { 'x-a': 'one' },
    });
    await hub().root.call(channelBatchApi.undo, { body: { undo: data.undo } });
    expect((await members()).map(({ name }) => name)).toEqual(['first', 'second']);
  });

  test('a list of keys replaces them, and a revoked one is out of service until that is taken back', async () => {
    const { live } = hub().server.deps;
    const keysOf = () => live.routes.channelsFor('default', 'gpt-4o').map(({ key }) => key);
    await addChannel(hub(), address, { name: 'pair', tag, key: 'eu-key-5\neu-key-6', one_channel: true });
    const before = await members();
    const { body } = await update({ key: 'eu-key-2\neu-key-5\neu-key-7', weight: 5 });
    const { data } = body as { data: { undo: string } };
    expect(data).toMatchObject({ count: 3, changed: 3, added: 1, removed: 1 });
    expect((await members()).map(({ name, weight, keys_off }) => [name, weight, keys_off])).toEqual([
      ['second', 5, 0],
      ['pair', 5, 1],
      ['first_4', 5, 0],
    ]);
    expect(keysOf()).not.toContain('eu-key-1');
    expect(keysOf()).not.toContain('eu-key-6');
    expect(keysOf()).toContain('eu-key-7');
    await hub().root.call(channelBatchApi.undo, { body: { undo: data.undo } });
    expect(await members()).toEqual(before);
    expect(keysOf()).toEqual(expect.arrayContaining(['eu-key-1']));
    expect(keysOf()).not.toContain('eu-key-7');
  });

  test('an empty list keeps the keys', async () => {
    const before = await members();
    for (const key of ['', ' ', '\n']) expect(await update({ key })).toMatchObject({ status: 200 });
    expect(await members()).toEqual(before);
  });

  test('new keys may have another address and type, which the secret headers of the others do not follow', async () => {
    const place = { type: 3, base_url: 'https://elsewhere.example' };
    expect(await update({ key: 'eu-key-1\neu-key-2\nnew-1', ...place })).toMatchObject({
      status: 400,
      body: { code: 'channel.key_again', field: 'model_headers' },
    });
    expect(await members()).toHaveLength(2);
    await update({ model_headers: '' });
    expect(await update({ key: 'eu-key-1\neu-key-2\nnew-1', ...place })).toMatchObject({ status: 200 });
    const now = await members();
    expect(now.map(({ type, base_url }) => [type, base_url])).toEqual([
      [8, address],
      [8, address],
      [3, 'https://elsewhere.example'],
    ]);
  });

  test('the default order of old lists is understood', async () => {
    const { data } = await hub().root.call(channelTagApi.list, { query: { order: '-id' } });
    expect(data.map((row) => row.tag)).toEqual([tag, 'us']);
  });

  test('priority, on and off, and the end of all', async () => {
    const { root } = hub();
    const params = { tag };
    await root.call(channelTagApi.setPriority, { params, body: { type: 'priority', value: 6 } });
    expect((await members()).map(({ priority }) => priority)).toEqual([6, 6]);
    await root.call(channelTagApi.setStatus, { params: { tag, status: 'enable' } });
    expect((await members()).map(({ status }) => status)).toEqual([1, 1]);
    const { db } = hub().server.deps;
    await db.updateTable('channels').set({ status: channelStatus.testDisabled }).where('id', '=', first).execute();
    expect(await root.call(channelTagApi.removeDisabled, { params })).toMatchObject({ changed: 1 });
    expect((await members()).map(({ name }) => name)).toEqual(['second']);
    const { undo } = await root.call(channelTagApi.remove, { params });
    expect((await root.call(channelApi.list)).data.map(({ name }) => name)).toEqual(['free', 'other']);
    await root.call(channelBatchApi.undo, { body: { undo } });
    expect((await members()).map(({ name }) => name)).toEqual(['second']);
  });

  test('a tag that no channel has is not found', async () => {
    const none = { status: 404, body: { code: 'record.not_found', field: 'tag' } };
    const params = { tag: 'nowhere' };
    const { root } = hub();
    expect(await root.try(channelTagApi.get, { params })).toMatchObject(none);
    expect(await root.try(channelTagApi.update, { params, body: { weight: 2 } })).toMatchObject(none);
    expect(await root.try(channelTagApi.remove, { params })).toMatchObject(none);
    expect(await root.try(channelTagApi.removeDisabled, { params })).toMatchObject(none);
    expect(await root.try(channelTagApi.setStatus, { params: { ...params, status: 'disable' } })).toMatchObject(none);
  });

  test('what one of them cannot be is refused for all', async () => {
    const before = await members();
    expect(await update({ weight: 3, on_client_gone: 'limit' })).toMatchObject({
      status: 400,
      body: { code: 'channel.gone_limit' },
    });
    expect(await update({ weight: 3, group: 'nobody' })).toMatchObject({
      status: 400,
      body: { code: 'group.unknown' },
    });
    expect(await members()).toEqual(before);
  });
});
