import { channelApi, channelKeyApi, channelStatus, optionApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';

onEveryDatabase('several keys in one channel', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  const make3 = (models: string) =>
    addChannel(hub(), upstream().url, { key: 'key-number-1\nkey-number-2\nkey-number-3', one_channel: true, models });
  const list = (id: number) => hub().root.call(channelKeyApi.list, { params: { id } });
  const live = (model: string) =>
    hub()
      .server.deps.live.routes.channelsFor('default', model)[0]
      ?.keys.map(({ key }) => key);
  const turn = (id: number, key: number, status: 1 | 2) =>
    hub().root.call(channelKeyApi.update, { params: { id, key }, body: { status } });

  test('they are one channel, shown by their ends, and calls know all of them', async () => {
    const id = await make3('m1');
    expect(await list(id)).toMatchObject(
      [1, 2, 3].map((n) => ({ key_hint: `••••••••er-${n}`, status: channelStatus.enabled, last_error: '' })),
    );
    expect(await hub().root.call(channelApi.get, { params: { id } })).toMatchObject({
      name: 'simulated',
      key_count: 3,
      keys_off: 0,
      key_hint: '••••••••er-1',
    });
    expect(live('m1')).toEqual(['key-number-1', 'key-number-2', 'key-number-3']);
  });

  test('a key can be disabled and enabled; the first enabled one represents the channel', async () => {
    const id = await make3('m2');
    const [first, second, third] = await list(id);
    expect(await turn(id, first!.id, 2)).toMatchObject({ id: first!.id, status: 2 });
    expect(live('m2')).toEqual(['key-number-2', 'key-number-3']);
    expect(await hub().root.call(channelApi.get, { params: { id } })).toMatchObject({
      key_count: 3,
      keys_off: 1,
      key_hint: '••••••••er-2',
    });
    await turn(id, second!.id, 2);
    await turn(id, third!.id, 2);
    expect(live('m2'), 'no key, no calls').toBeUndefined();
    expect(hub().server.deps.live.routes.rests('default', 'm2')).toBe(true);
    await turn(id, first!.id, 1);
    expect(live('m2')).toEqual(['key-number-1']);
  });

  test('keys are added, each once, however many add them', async () => {
    const id = await make3('m3');
    const add = (keys: string) => hub().root.call(channelKeyApi.add, { params: { id }, body: { keys } });
    const added = await Promise.all(
      Array.from({ length: 10 }, () => add('key-number-3\nkey-number-4\n\nkey-number-4')),
    );
    expect(added.reduce((sum, one) => sum + one.added, 0)).toBe(1);
    expect(live('m3')).toEqual(['key-number-1', 'key-number-2', 'key-number-3', 'key-number-4']);
  });

  test('of many that delete, the last key stays', async () => {
    const id = await make3('m4');
    const keys = await list(id);
    const outcomes = await Promise.all(
      keys.map(({ id: key }) => hub().root.try(channelKeyApi.remove, { params: { id, key } })),
    );
    expect(outcomes.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 409]);
    expect(outcomes.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'channel.last_key' });
    expect(await list(id)).toHaveLength(1);
    expect(live('m4')).toHaveLength(1);
  });

  test('an edit with keys leaves exactly these, and keeps the state of those that stay', async () => {
    const id = await make3('m5');
    const [, second] = await list(id);
    await turn(id, second!.id, 2);
    await hub().root.call(channelApi.update, { body: { id, key: 'key-number-2\nkey-number-9' } });
    expect(await list(id)).toMatchObject([
      { id: second!.id, status: 2 },
      { key_hint: '••••••••er-9', status: 1 },
    ]);
    expect(live('m5')).toEqual(['key-number-9']);
  });

  test('one key can be tested, and the result is stored with it', async () => {
    const id = await make3('gpt-4*');
    const [, second] = await list(id);
    const run = (model = '') =>
      hub().root.try(channelKeyApi.test, { params: { id, key: second!.id }, query: { model } });
    expect(await run()).toMatchObject({ status: 400, body: { code: 'channel.test_model_needed' } });
    upstream().next({ status: 401, error: { message: 'this is not a key: key-number-2' } });
    expect(await run('gpt-4o-mini')).toMatchObject({ status: 502, body: { code: 'channel.upstream_failed' } });
    const failed = (await list(id))[1]!;
    expect(failed.last_error).toBe('401 this is not a key: ••••');
    expect(failed.last_error_time).toBeGreaterThan(0);
    expect((await run('gpt-4o-mini')).status).toBe(200);
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer key-number-2');
    expect((await list(id))[1]).toMatchObject({ last_error: '', response_time: expect.any(Number) });
    expect((await list(id))[0]).toMatchObject({ last_error: '', response_time: 0 });
  });

  test('one that the server had switched off comes back when it passes, as the setting says', async () => {
    const id = await make3('gpt-4o');
    const [first] = await list(id);
    const { db } = hub().server.deps;
    const off = { status: channelStatus.testDisabled, reason: 'invalid_api_key' };
    await db.updateTable('channel_keys').set(off).where('id', '=', first!.id).execute();
    const run = () =>
      hub().root.call(channelKeyApi.test, { params: { id, key: first!.id }, query: { model: 'gpt-4o' } });
    await run();
    expect((await list(id))[0]).toMatchObject(off);
    await hub().root.call(optionApi.set, { body: { key: 'AutomaticEnableChannelEnabled', value: 'true' } });
    await run();
    expect((await list(id))[0]).toMatchObject({ status: channelStatus.enabled, reason: '' });
    expect(live('gpt-4o')).toContain('key-number-1');
  });

  test('an unknown key or channel is not found', async () => {
    const { root } = hub();
    const [id, other] = [await make3('m6'), await make3('m7')];
    const [foreign] = await list(other);
    const none = { status: 404, body: { code: 'record.not_found' } };
    const key = foreign!.id;
    expect(await root.try(channelKeyApi.update, { params: { id, key }, body: { status: 2 } })).toMatchObject(none);
    expect(await root.try(channelKeyApi.remove, { params: { id, key } })).toMatchObject(none);
    expect(await root.try(channelKeyApi.test, { params: { id, key }, query: { model: 'm' } })).toMatchObject(none);
    await root.call(channelApi.remove, { params: { id: other } });
    expect(await root.try(channelKeyApi.list, { params: { id: other } })).toMatchObject(none);
    expect(await root.try(channelKeyApi.add, { params: { id: other }, body: { keys: 'k' } })).toMatchObject(none);
  });

  test('a channel is found by any of its keys, whole', async () => {
    const id = await addChannel(hub(), upstream().url, { key: 'needle-1\nneedle-2', one_channel: true });
    const found = async (key: string) => (await hub().root.call(channelApi.list, { query: { key } })).data;
    expect(await found('needle-2')).toMatchObject([{ id }]);
    expect(await found('needle')).toEqual([]);
  });
});
