import type { Channel } from '@relay-hub/contract';
import { channelApi, keptSecret } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { chat } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { openKeys } from '#features/channel/keys/channel-keys.ts';

const KEY = 'sk-proj-a-secret-that-stays-secret-0001';
const newChannel = { type: 8, name: 'one', key: KEY, base_url: 'http://127.0.0.1:9', models: 'a-model' };
const none = { status: 404, body: { success: false, code: 'record.not_found', field: 'id' } };

onEveryDatabase('channels', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  const stored = (id: number) =>
    hub().server.deps.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  const keysOf = async (id: number): Promise<string[]> => {
    const { db, secrets } = hub().server.deps;
    return (await openKeys(db, secrets, id)).map(({ key }) => key);
  };

  test('each line of the key becomes a channel, numbered from the second', async () => {
    const made = await hub().root.call(channelApi.create, {
      body: { ...newChannel, name: 'many', key: `${KEY}\n\n  ${KEY}-b  \r\n${KEY}-c\n` },
    });
    expect(made.map(({ name }) => name)).toEqual(['many', 'many_2', 'many_3']);
    expect(await Promise.all(made.map(({ id }) => keysOf(id)))).toEqual([[KEY], [`${KEY}-b`], [`${KEY}-c`]]);
  });

  test('thousands of keys are pasted at once', async () => {
    const key = Array.from({ length: 3000 }, (_, i) => `key-${i}`).join('\n');
    const made = await hub().root.call(channelApi.create, { body: { ...newChannel, name: 'crowd', key, status: 2 } });
    expect(made).toHaveLength(3000);
    expect(made.at(-1)?.name).toBe('crowd_3000');
    expect((await hub().root.call(channelApi.list, { query: { name: 'crowd', size: 1 } })).total_count).toBe(3000);
    const { db } = hub().server.deps;
    const crowd = db.selectFrom('channels').where('name', 'like', 'crowd%').select('id');
    await db.deleteFrom('channel_keys').where('channel_id', 'in', crowd).execute();
    await db.deleteFrom('channels').where('name', 'like', 'crowd%').execute();
  });

  test('a key never comes back, and is not in the database in clear', async () => {
    const { root } = hub();
    const made = await root.send<Channel[]>('POST', '/api/channel/', newChannel);
    const { id } = (made.body as { data: Channel[] }).data[0]!;
    const answers = [
      made,
      await root.send('GET', '/api/channel/?size=100'),
      await root.send('GET', `/api/channel/${id}`),
      await root.send('PUT', '/api/channel/', { id, name: 'two' }),
      await root.send('PUT', '/api/channel/', { id, key: KEY }),
      await root.send('GET', `/api/channel/?keyword=${encodeURIComponent(KEY)}`),
      await root.send('POST', '/api/channel/', { ...newChannel, name: '' }),
    ];
    for (const { body } of answers) expect(JSON.stringify(body)).not.toContain('stays-secret');
    expect((await root.call(channelApi.get, { params: { id } })).key).toBe('');
    expect((await root.call(channelApi.get, { params: { id } })).key_hint).toBe('sk-proj-••••••••0001');
    const { db } = hub().server.deps;
    const kept = [await stored(id), await db.selectFrom('channel_keys').selectAll().execute()];
    expect(JSON.stringify(kept)).not.toContain('stays-secret');
    expect(await keysOf(id)).toEqual([KEY]);
  });

  test('an edit without a key keeps it, one with a key replaces it, for the very next call', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), upstream().url, { models: 'gpt-4o', key: 'sk-the-first-key' });
    const { key } = await addToken(hub());
    const authorization = async (): Promise<string | undefined> => {
      expect((await chat(hub(), key)).status).toBe(200);
      return upstream().requests.at(-1)?.headers.authorization;
    };
    expect(await authorization()).toBe('Bearer sk-the-first-key');
    await root.call(channelApi.update, { body: { id, key: '', weight: 2 } });
    expect(await authorization()).toBe('Bearer sk-the-first-key');
    await root.call(channelApi.update, { body: { id, weight: 3 } });
    expect(await authorization()).toBe('Bearer sk-the-first-key');
    await root.call(channelApi.update, { body: { id, key: 'sk-the-second-key' } });
    expect(await authorization()).toBe('Bearer sk-the-second-key');
    await root.call(channelApi.remove, { params: { id } });
    expect((await chat(hub(), key)).status).toBe(404);
  });

  test('an edit changes what it names, and nothing else', async () => {
    const { root } = hub();
    const more = {
      other: 'x',
      tag: 't',
      priority: 5,
      weight: 7,
      group: 'default,vip',
      model_mapping: '{"a":"b"}',
      model_headers: '{"x-a":"b"}',
      test_model: 'a-model',
      only_chat: true,
      pre_cost: 2,
    };
    const [made] = await root.call(channelApi.create, { body: { ...newChannel, ...more, key: 'sk-edited' } });
    const { id } = made!;
    expect(made).toMatchObject({ ...more, model_headers: `{"x-a":"${keptSecret}"}` });
    expect(await root.call(channelApi.update, { body: { id, priority: 6 } })).toEqual({ ...made, priority: 6 });
    expect(await root.call(channelApi.update, { body: { id, model_headers: '', tag: '', only_chat: false } })).toEqual({
      ...made,
      priority: 6,
      model_headers: '',
      tag: '',
      only_chat: false,
    });
    expect(await root.call(channelApi.update, { body: { id } })).toMatchObject({ id, priority: 6 });
  });

  test('what only the server may write is ignored', async () => {
    const { root } = hub();
    const planted = {
      id: 987_654,
      used_quota: 5,
      balance: 9,
      response_time: 1,
      created_time: 1,
      key_hint: 'x',
      key_cipher: 'x',
      last_error: 'x',
      deleted_time: 1,
    };
    const answer = await root.send<Channel[]>('POST', '/api/channel/', {
      ...newChannel,
      ...planted,
      key: 'sk-planted',
    });
    const made = (answer.body as { data: Channel[] }).data[0]!;
    expect(made).toMatchObject({ used_quota: 0, balance: 0, response_time: 0, last_error: '' });
    expect(made.id).not.toBe(planted.id);
    await root.send('PUT', '/api/channel/', { ...planted, id: made.id });
    expect(await root.call(channelApi.get, { params: { id: made.id } })).toEqual(made);
  });

  test('a deleted channel is gone', async () => {
    const { root } = hub();
    const id = await addChannel(hub(), upstream().url);
    await root.call(channelApi.remove, { params: { id } });
    expect(
      (await root.call(channelApi.list, { query: { size: 100 } })).data.map((channel) => channel.id),
    ).not.toContain(id);
    expect(await root.try(channelApi.get, { params: { id } })).toMatchObject(none);
    expect(await root.try(channelApi.remove, { params: { id } })).toMatchObject(none);
    expect(await root.try(channelApi.update, { body: { id, name: 'back' } })).toMatchObject(none);
    expect(await root.try(channelApi.test, { params: { id }, query: { model: 'm' } })).toMatchObject(none);
    expect(
      await root.try(channelApi.providerModels, { body: { id, type: 8, base_url: 'http://127.0.0.1:9' } }),
    ).toMatchObject(none);
  });

  test('types tell what their forms ask for', async () => {
    const types = await hub().root.call(channelApi.types);
    expect(types.find(({ type }) => type === 1)).toMatchObject({ title: 'OpenAI', base_url: 'https://api.openai.com' });
  });

  test('health counts attempts and failures of the last 24 hours', async () => {
    const id = await addChannel(hub(), upstream().url, { models: 'gpt-4o-mini' });
    const idle = await addChannel(hub(), upstream().url, { models: 'unused' });
    const { key } = await addToken(hub());
    await chat(hub(), key, 'gpt-4o-mini');
    upstream().next({ status: 500 });
    await chat(hub(), key, 'gpt-4o-mini');
    const { db, now } = hub().server.deps;
    const hour = now() - (now() % 3600);
    await db
      .insertInto('attempts_by_channel')
      .values([
        { hour: hour - 23 * 3600, channel_id: id, kind: 'ok', attempts: 4 },
        { hour: hour - 23 * 3600, channel_id: id, kind: 'rate', attempts: 3 },
        { hour: hour - 24 * 3600, channel_id: id, kind: 'server', attempts: 9 },
      ])
      .execute();
    const healths = await hub().root.call(channelApi.health);
    const { hours } = healths.find((health) => health.channel_id === id)!;
    expect(hours).toHaveLength(24);
    expect(hours[0]).toEqual({ requests: 7, failures: 3, reasons: { rate: 3 } });
    expect(hours[23]).toEqual({ requests: 2, failures: 1, reasons: { server: 1 } });
    expect(healths.find((health) => health.channel_id === idle)!.hours.every(({ requests }) => requests === 0)).toBe(
      true,
    );
  });

  describe('concurrent changes', () => {
    test('each is in force when its answer is there', async () => {
      const { root, server } = hub();
      await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const model = `race-${i}`;
          const [made] = await root.call(channelApi.create, { body: { ...newChannel, name: model, models: model } });
          expect(server.deps.live.routes.serves('default', model), `${model} is served`).toBe(true);
          await root.call(channelApi.remove, { params: { id: made!.id } });
          expect(server.deps.live.routes.serves('default', model), `${model} is gone`).toBe(false);
        }),
      );
    });
  });
});
