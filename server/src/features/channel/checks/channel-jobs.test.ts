import type { ChannelJob } from '@relay-hub/contract';
import { channelApi, channelJobApi, channelStatus, optionApi } from '@relay-hub/contract';
import { beforeEach, expect, test, vi } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import { until } from '#testing/until.ts';
import { beginJob, endJob } from './channel-jobs.ts';
import { ChannelWorker } from './channel-worker.ts';

onEveryDatabase('work on many channels', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  beforeEach(async () => {
    const { db } = hub().server.deps;
    await db.updateTable('channels').set({ deleted_time: 1 }).execute();
    await db.deleteFrom('channel_jobs').execute();
  });

  const add = (name: string, test_model: string, base = upstream().url) =>
    addChannel(hub(), base, { name, test_model, models: test_model });
  const job = async (kind: ChannelJob['kind'] = 'test') =>
    (await hub().root.call(channelJobApi.list)).find((one) => one.kind === kind)!;
  const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });

  const ended = (kind: ChannelJob['kind'] = 'test'): Promise<ChannelJob> =>
    until('the job has ended', async () => {
      const now = await job(kind);
      return now.state !== 'running' && now;
    });
  /** Lets the upstream hold its answers until this is called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream().behaviour = { until: promise };
    return () => {
      upstream().behaviour = {};
      resolve();
    };
  };

  test('all channels are tested; each notes its own result, and those without a model to test are left out', async () => {
    const good = await add('good', 'gpt-4o');
    const bad = await add('bad', 'gpt-4o', 'http://127.0.0.1:9');
    const of = (models: string, test_model = '') =>
      addChannel(hub(), upstream().url, { name: models, models, test_model });
    // The model of the first successful test is kept; slow and dear ones are only tested if an operator says so.
    const chosen = [
      [await of('dall-e-3,text-embedding-3-small,gpt-4o-mini'), 'gpt-4o-mini'],
      [await of('dall-e-3,text-embedding-3-small'), 'text-embedding-3-small'],
      [await of('gpt-4o-mini', 'gpt-4-gone'), 'gpt-4o-mini'],
      [await of('gpt-4*', 'gpt-4o'), 'gpt-4o'],
      [await of('house-model,gpt-4o-mini'), 'gpt-4o-mini'],
      [await of('house-model'), 'house-model'],
    ] as const;
    const left = [
      [await of('gpt-*'), 'wildcards'],
      [await of('dall-e-3'), 'models'],
      [await of('mj_imagine'), 'models'],
      [await addChannel(hub(), upstream().url, { name: 'a drawer', type: 34, models: 'mj_imagine' }), 'type'],
    ] as const;
    expect(await job()).toMatchObject({ state: 'none', total: 0 });
    const answer = hold();
    expect(await hub().root.call(channelJobApi.testAll)).toMatchObject({ state: 'running', total: 12 });
    answer();
    const done = await ended();
    expect(done).toMatchObject({ state: 'done', total: 12, done: 12, succeeded: 7, failed: 1, skipped: 4 });
    expect(done.failures).toMatchObject([{ id: bad, name: 'bad', message: 'the connection was refused' }]);
    expect(done.skips.map(({ id, reason }) => [id, reason]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual(
      left,
    );
    const read = (id: number) => hub().root.call(channelApi.get, { params: { id } });
    expect((await read(good)).response_time).toBeGreaterThan(0);
    expect(await read(bad)).toMatchObject({ last_error: 'the connection was refused', status: 1 });
    for (const [id, test_model] of chosen) expect(await read(id)).toMatchObject({ test_model });
    // A test by hand chooses alike, and takes a slow model where there is no other.
    const byHand = [
      [await of('o1-pro-of-the-house,gpt-4o-mini'), 'gpt-4o-mini', 'gpt-4o-mini'],
      [await of('dall-e-3'), 'dall-e-3', ''],
    ] as const;
    for (const [id, model, kept] of byHand) {
      expect(await hub().root.call(channelApi.test, { params: { id } })).toMatchObject({ model });
      expect(await read(id)).toMatchObject({ test_model: kept });
    }
    for (const [id] of left) expect(await read(id)).toMatchObject({ test_time: 0, test_model: '' });
  });

  test('one runs at a time and can be cancelled; channels not queried yet are skipped', async () => {
    for (let i = 0; i < 12; i++) await add(`slow ${i}`, 'gpt-4o');
    upstream().requests.clear();
    const answer = hold();
    const starts = await Promise.all(Array.from({ length: 5 }, () => hub().root.try(channelJobApi.testAll)));
    expect(starts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    await until('four channels are queried', () => upstream().requests.total === 4);
    await hub().root.call(channelJobApi.cancel, { params: { kind: 'test' } });
    expect(await job()).toMatchObject({ state: 'cancelled', total: 12 });
    answer();
    const again = await hub().root.try(channelJobApi.testAll);
    expect(again.status, 'a stopped one makes room').toBe(200);
    expect(await ended()).toMatchObject({ state: 'done', succeeded: 12 });
    expect(upstream().requests.total, 'the first four, and all of the second job').toBe(4 + 12);
  });

  test('some are tested: named, or found', async () => {
    const ids = [await add('one', 'gpt-4o'), await add('two', 'gpt-4o'), await add('three', 'gpt-4o')];
    await hub().root.call(channelJobApi.testSome, { body: { scope: { ids: ids.slice(1) } } });
    expect(await ended()).toMatchObject({ total: 2, succeeded: 2 });
    await hub().root.call(channelJobApi.testSome, { body: { scope: { filter: { keyword: 'one' } } } });
    expect(await ended()).toMatchObject({ total: 1, succeeded: 1 });
  });

  test('a job of a dead server does not block a new one', async () => {
    const { db, now } = hub().server.deps;
    const run = await beginJob(db, 'test', { total: 5, actorId: 1, now: now() - 1000 });
    expect(await job()).toMatchObject({ state: 'interrupted', total: 5 });
    await add('one', 'gpt-4o');
    await hub().root.call(channelJobApi.testAll);
    await endJob({ db, now }, { kind: 'test', run }, 'done');
    expect(await ended()).toMatchObject({ state: 'done', total: 1 });
  });

  test('a stopping server ends after what it is asking', async () => {
    const database = await make();
    const other = await startHub(database);
    for (let i = 0; i < 8; i++) await addChannel(other, upstream().url, { name: `slow ${i}`, models: 'gpt-4o' });
    upstream().requests.clear();
    const answer = hold();
    await other.root.call(channelJobApi.testAll);
    await until('four channels are queried', () => upstream().requests.total === 4);
    // They are answered after the work was cancelled.
    const { stop } = ChannelWorker.prototype;
    vi.spyOn(ChannelWorker.prototype, 'stop').mockImplementation(function (this: ChannelWorker) {
      const stopped = stop.call(this);
      answer();
      return stopped;
    });
    await other.close();
    vi.restoreAllMocks();
    const next = await startHub(database);
    const [test1] = await next.root.call(channelJobApi.list);
    expect(test1).toMatchObject({ state: 'cancelled', done: 4 });
    await next.close();
    await database.remove();
  });

  test('as the settings say, failing accounts are switched off, slow ones too, and good ones on again', async () => {
    const refuse = 'sim:status=401';
    const ids = {
      refused: await add('refused', refuse),
      busy: await add('busy', 'sim:status=503'),
      slow: await add('slow', 'sim:delayMs=150'),
      drawing: await addChannel(hub(), upstream().url, {
        name: 'drawing',
        test_model: 'dall-e-3',
        models: 'dall-e-3',
        model_headers: '{"x-sim":"delayMs=150"}',
      }),
      back: await add('back', 'gpt-4o'),
      byHand: await addChannel(hub(), upstream().url, { name: 'by hand', test_model: 'gpt-4o', status: 2 }),
    };
    const { db } = hub().server.deps;
    const statuses = async () =>
      Object.fromEntries(
        (await hub().root.call(channelApi.list, { query: { size: 50 } })).data.map(({ name, status }) => [
          name,
          status,
        ]),
      );
    const off = { status: channelStatus.testDisabled };
    await db.updateTable('channels').set(off).where('id', '=', ids.back).execute();
    await set('ChannelDisableThreshold', '0.1');
    await hub().root.call(channelJobApi.testAll);
    expect(await ended()).toMatchObject({ switched_off: 0, switched_on: 0 });
    expect(await statuses(), 'both are off').toEqual({
      refused: 1,
      busy: 1,
      slow: 1,
      drawing: 1,
      back: 3,
      'by hand': 2,
    });

    await set('AutomaticDisableChannelEnabled', 'true');
    await set('AutomaticEnableChannelEnabled', 'true');
    // However busy this machine is, none of the others is slow, and the slow ones are.
    await set('ChannelDisableThreshold', '60');
    await hub().root.call(channelJobApi.testAll);
    expect(await ended()).toMatchObject({ switched_off: 1, switched_on: 1 });
    await set('ChannelDisableThreshold', '0.1');
    await hub().root.call(channelJobApi.testSome, { body: { scope: { ids: [ids.slow, ids.drawing] } } });
    expect(await ended()).toMatchObject({ switched_off: 1, switched_on: 0 });
    expect(await statuses()).toEqual({ refused: 3, busy: 1, slow: 3, drawing: 1, back: 1, 'by hand': 2 });
    const read = await hub().root.call(channelApi.get, { params: { id: ids.slow } });
    expect(read.last_error).toMatch(/^the test took \d+\.\d s, longer than 0\.1 s$/);
    const { data } = await hub().root.call(channelApi.list, { query: { order: 'trouble', size: 50 } });
    expect(data.map(({ name }) => name)).toEqual(['refused', 'slow', 'busy', 'drawing', 'back', 'by hand']);
    const trouble = await hub().root.call(channelApi.list, { query: { trouble: 1, size: 50 } });
    expect(trouble.data.map(({ name }) => name)).toEqual(['slow', 'busy', 'refused']);
    for (const key of ['AutomaticDisableChannelEnabled', 'AutomaticEnableChannelEnabled']) await set(key, 'false');
    await set('ChannelDisableThreshold', '5');
  });

  test('a key that fails its test is switched off alone, as long as its channel has others', async () => {
    const name = 'several keys';
    const key = 'key-number-1\nkey-number-2';
    const id = await addChannel(hub(), upstream().url, { name, key, one_channel: true, test_model: 'gpt-4o' });
    const read = () => hub().root.call(channelApi.get, { params: { id } });
    await set('AutomaticDisableChannelEnabled', 'true');
    for (const [status, keys_off] of [
      [1, 1],
      [3, 1],
    ]) {
      upstream().next({ status: 401 });
      await hub().root.call(channelJobApi.testAll);
      expect(await ended()).toMatchObject({ failed: 1, switched_off: status === 3 ? 1 : 0 });
      expect(await read()).toMatchObject({ status, key_count: 2, keys_off });
    }
    await set('AutomaticDisableChannelEnabled', 'false');
  });

  test('a frozen channel is reported and listed first, and thawed by hand or by a successful test', async () => {
    await add('fine', 'gpt-4o');
    const id = await add('cold', 'gpt-4o');
    const failing = await add('failing', 'gpt-4o');
    const { hour, live } = hub().server.deps;
    const { health } = live;
    for (let made = 0; made < 10; made++)
      hour.ended({
        caller: { userId: made % 3, username: 'u', tokenId: made % 3, tokenName: 't' },
        model: 'gpt-4o',
        failed: made < 6,
        credits: 0,
        firstMs: undefined,
        attemptFirstMs: undefined,
        attempts: [[failing, made < 6 ? 'server' : 'ok']],
      });
    const freeze = () => health.failed(id, 'gpt-4o', { cooldownMs: 60_000, now: Date.now() });
    freeze();
    const { data } = await hub().root.call(channelApi.list, { query: { order: 'trouble' } });
    expect(data.map(({ name }) => name)).toEqual(['cold', 'failing', 'fine']);
    const { total_count: troubled } = await hub().root.call(channelApi.list, { query: { trouble: 1 } });
    expect(troubled).toBe(2);
    expect(data[0]!.frozen_until).toBeGreaterThan(Date.now() / 1000 + 30);
    expect((await hub().root.call(channelApi.unfreeze, { params: { id } })).frozen_until).toBe(0);
    freeze();
    await hub().root.call(channelApi.test, { params: { id }, query: { model: '' } });
    expect((await hub().root.call(channelApi.get, { params: { id } })).frozen_until).toBe(0);
  });
});
