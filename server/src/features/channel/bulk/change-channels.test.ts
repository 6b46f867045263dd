import type { ChannelChange, ChannelScope } from '@relay-hub/contract';
import { channelApi, channelBatchApi, channelStatus } from '@relay-hub/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';

const address = 'http://127.0.0.1:9';

onEveryDatabase('a change of several channels', (make) => {
  const hub = hubForSuite(make);
  let ids: number[] = [];

  beforeEach(async () => {
    await hub().server.deps.db.updateTable('channels').set({ deleted_time: 1 }).execute();
    ids = [];
    for (const [name, more] of Object.entries({
      alpha: { models: 'gpt-4o,shared', tag: 'eu', priority: 1 },
      beta: { models: 'shared', group: 'default,vip', tag: 'eu' },
      gamma: { models: 'o3', tag: 'us', status: 2 as const },
      delta: { models: 'o3,o4', weight: 5 },
    }))
      ids.push(await addChannel(hub(), address, { name, ...more }));
  });

  const filter = { keyword: '', name: '', models: '', group: '', tag: '', type: 0, status: 0, trouble: 0 };
  const tagged = (tag: string, count: number): ChannelScope =>
    ({ filter: { ...filter, other: '', test_model: '', key: '', filter_tag: '', tag }, count }) as const;
  const preview = (scope: ChannelScope, change: ChannelChange) =>
    hub().root.call(channelBatchApi.preview, { body: { scope, change } });
  const apply = (scope: ChannelScope, change: ChannelChange) =>
    hub().root.call(channelBatchApi.apply, { body: { scope, change } });
  const undo = (name: string) => hub().root.call(channelBatchApi.undo, { body: { undo: name } });
  const all = async () => (await hub().root.call(channelApi.list, { query: { size: 100, order: 'id' } })).data;
  const serves = (model: string) => hub().server.deps.live.routes.serves('default', model);

  test('is shown first, row by row, and changes nothing', async () => {
    const before = await all();
    const change = { verb: 'edit', priority: 1, models: { how: 'remove', value: 'shared' } } as const;
    expect(await preview(tagged('eu', 0), change)).toEqual({
      count: 2,
      changed: 1,
      skipped: 1,
      rows: [{ id: ids[0], name: 'alpha', changes: [{ field: 'models', before: 'gpt-4o,shared', after: 'gpt-4o' }] }],
      skips: [{ id: ids[1], name: 'beta', reason: 'no_models_left' }],
    });
    expect(await all()).toEqual(before);
  });

  test.each<[why: string, change: ChannelChange, after: object[]]>([
    ['switches off', { verb: 'disable' }, [{ status: 2 }, { status: 2 }, { status: 2 }, { status: 2 }]],
    ['switches on', { verb: 'enable' }, [{ status: 1 }, { status: 1 }, { status: 1 }, { status: 1 }]],
    ['sets a tag', { verb: 'edit', tag: 'all' }, Array.from({ length: 4 }, () => ({ tag: 'all' }))],
    [
      'sets numbers',
      { verb: 'edit', priority: 7, weight: 3 },
      Array.from({ length: 4 }, () => ({ priority: 7, weight: 3 })),
    ],
    ['sets a test model', { verb: 'edit', test_model: 'o3' }, Array.from({ length: 4 }, () => ({ test_model: 'o3' }))],
    [
      'adds models',
      { verb: 'edit', models: { how: 'add', value: 'o3,new*' } },
      [
        { models: 'gpt-4o,shared,o3,new*' },
        { models: 'shared,o3,new*' },
        { models: 'o3,new*' },
        { models: 'o3,o4,new*' },
      ],
    ],
    [
      'takes models out',
      { verb: 'edit', models: { how: 'remove', value: 'o3,gpt-4o' } },
      [{ models: 'shared' }, { models: 'shared' }, { models: 'o3' }, { models: 'o4' }],
    ],
    [
      'puts other groups in their place',
      { verb: 'edit', group: { how: 'replace', value: 'svip' } },
      Array.from({ length: 4 }, () => ({ group: 'svip' })),
    ],
    [
      'adds groups',
      { verb: 'edit', group: { how: 'add', value: 'vip' } },
      Array.from({ length: 4 }, () => ({ group: 'default,vip' })),
    ],
  ])('%s, and takes it back', async (_, change, after) => {
    const before = await all();
    const { count, undo: name } = await apply({ ids }, change);
    expect(count).toBe(4);
    expect(await all()).toMatchObject(after);
    await undo(name);
    expect(await all()).toEqual(before);
  });

  test('deletes, and brings back, with all that belongs to it', async () => {
    const before = await all();
    const { changed, undo: name } = await apply({ ids: [ids[0]!, ids[3]!] }, { verb: 'delete' });
    expect(changed).toBe(2);
    expect((await all()).map((channel) => channel.name)).toEqual(['beta', 'gamma']);
    expect(serves('o4')).toBe(false);
    expect(await undo(name)).toEqual({ restored: 2, kept: 0 });
    expect(await all()).toEqual(before);
    expect(serves('o4'), 'in force at once').toBe(true);
  });

  test('a filter means those that it found when it was looked at, or nothing', async () => {
    const before = await all();
    const body = { scope: tagged('eu', 3), change: { verb: 'delete' } as const };
    expect(await hub().root.try(channelBatchApi.apply, { body })).toMatchObject({
      status: 409,
      body: { code: 'channel.scope_changed' },
    });
    expect(await all()).toEqual(before);
    expect(await apply(tagged('eu', 2), { verb: 'delete' })).toMatchObject({ count: 2, changed: 2 });
    expect(
      await hub().root.try(channelBatchApi.apply, { body: { scope: { filter: {} }, change: { verb: 'delete' } } }),
      'all, unseen',
    ).toMatchObject({ status: 409 });
  });

  test('only fields that differ change, and an empty change cannot be undone', async () => {
    expect(await apply({ ids }, { verb: 'enable' })).toMatchObject({ count: 4, changed: 1, skipped: 0 });
    expect(await apply({ ids }, { verb: 'enable' })).toEqual({ count: 4, changed: 0, skipped: 0, undo: '' });
  });

  describe('taking back', () => {
    test('leaves what was changed again since', async () => {
      const { undo: name } = await apply({ ids }, { verb: 'edit', priority: 9 });
      await hub().root.call(channelApi.update, { body: { id: ids[1]!, priority: 5 } });
      await hub().root.call(channelApi.update, { body: { id: ids[2]!, weight: 5 } });
      expect(await undo(name)).toEqual({ restored: 3, kept: 1 });
      expect((await all()).map(({ priority, weight }) => [priority, weight])).toEqual([
        [1, 1],
        [5, 1],
        [0, 5],
        [0, 5],
      ]);
    });

    test('an undo works once, for any administrator, until it expires', async () => {
      const { undo: name } = await apply({ ids }, { verb: 'edit', priority: 9 });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => hub().root.try(channelBatchApi.undo, { body: { undo: name } })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
      const { undo: late } = await apply({ ids }, { verb: 'edit', priority: 9 });
      const { db, now } = hub().server.deps;
      await db
        .updateTable('channel_undos')
        .set({ created_time: now() - 3600 })
        .where('id', '=', late)
        .execute();
      expect(await hub().root.try(channelBatchApi.undo, { body: { undo: late } })).toMatchObject({
        status: 409,
        body: { code: 'channel.undo_gone' },
      });
    });
  });

  test('of racing changes none is lost', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `race-${i}`);
    await Promise.all([
      ...names.map((name) => apply({ ids }, { verb: 'edit', models: { how: 'add', value: name } })),
      ...names.map((_, i) => hub().root.call(channelApi.update, { body: { id: ids[i % 4]!, pre_cost: 2 } })),
    ]);
    for (const { models, pre_cost: counting } of await all()) {
      for (const name of names) expect(models.split(',')).toContain(name);
      expect(counting).toBe(2);
    }
  });

  test('thousands are changed in one step, and taken back', async () => {
    const key = Array.from({ length: 3000 }, (_, i) => `key-${i}`).join('\n');
    await hub().root.call(channelApi.create, {
      body: { type: 8, name: 'crowd', key, base_url: address, models: 'm', tag: 'crowd' },
    });
    const { undo: name } = await apply(tagged('crowd', 3000), { verb: 'disable' });
    expect(serves('m')).toBe(false);
    expect(await undo(name)).toEqual({ restored: 3000, kept: 0 });
    expect(serves('m')).toBe(true);
    await hub().server.deps.db.deleteFrom('channel_keys').where('key_hint', '<>', '').execute();
  });

  test.each<[why: string, body: object, field: string]>([
    ['nobody', { scope: { ids: [] }, change: { verb: 'delete' } }, 'scope.ids'],
    ['no scope', { change: { verb: 'delete' } }, 'scope'],
    ['no verb', { scope: { ids: [1] }, change: {} }, 'change.verb'],
    ['a verb that is not there', { scope: { ids: [1] }, change: { verb: 'explode' } }, 'change.verb'],
    ['weight 0', { scope: { ids: [1] }, change: { verb: 'edit', weight: 0 } }, 'change.weight'],
    ['a priority below 0', { scope: { ids: [1] }, change: { verb: 'edit', priority: -1 } }, 'change.priority'],
    [
      'a wildcard in the middle',
      { scope: { ids: [1] }, change: { verb: 'edit', models: { how: 'add', value: 'a*b' } } },
      'change.models.value',
    ],
  ])('%s is refused', async (_, body, field) => {
    const answer = await hub().root.send('PUT', '/api/channel/batch', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'input.invalid', field } });
  });

  test('a group that is not there is refused, unless it is taken out', async () => {
    const to = (how: 'add' | 'remove') => ({ verb: 'edit', group: { how, value: 'nobody' } }) as const;
    const body = { scope: { ids }, change: to('add') };
    expect(await hub().root.try(channelBatchApi.apply, { body })).toMatchObject({
      status: 400,
      body: { code: 'group.unknown' },
    });
    expect(await apply({ ids }, to('remove'))).toMatchObject({ changed: 0 });
  });

  test('as the family does it: counts for an answer', async () => {
    const { root } = hub();
    expect(await root.call(channelBatchApi.removeModel, { body: { ids, value: 'shared' } })).toBe(1);
    expect(await root.call(channelBatchApi.replaceApiVersion, { body: { ids, value: '2024-10-21' } })).toBe(0);
    const { db } = hub().server.deps;
    await db.updateTable('channels').set({ type: 3 }).where('id', '=', ids[0]!).execute();
    await db.updateTable('channels').set({ status: channelStatus.testDisabled }).where('id', '=', ids[1]!).execute();
    expect(await root.call(channelBatchApi.replaceApiVersion, { body: { ids, value: '2024-10-21' } })).toBe(1);
    expect((await all())[0]).toMatchObject({ other: '2024-10-21' });
    expect(await root.call(channelBatchApi.removeDisabled)).toBe(2);
    expect((await all()).map(({ name }) => name)).toEqual(['alpha', 'delta']);
    expect(await root.call(channelBatchApi.remove, { body: { ids } })).toBe(2);
  });
});
