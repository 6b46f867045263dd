import { channelApi, channelJobApi, channelKeyApi, channelStatus, optionApi } from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ChannelWorker } from '#features/channel/checks/channel-worker.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';

const LOOK_MS = 60_000;

onEveryDatabase('a key that the server has switched off', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let nodes: TestHub[] = [];
  let id: number;
  let key: number;

  const root = () => nodes[0]!.root;
  const db = () => nodes[0]!.server.deps.db;
  const set = (name: string, value: string) => root().call(optionApi.set, { body: { key: name, value } });
  const status = async () => (await root().call(channelKeyApi.list, { params: { id } })).at(-1)?.status;
  const asked = () => upstream().requests.total;

  /** Every node looks, as it does each minute. */
  const begin = (): void => void vi.advanceTimersByTime(LOOK_MS);
  /** The same, to its end. */
  async function look(): Promise<void> {
    const workers = nodes.map(({ server }) => new ChannelWorker(server.deps));
    await Promise.all(workers.map((worker) => worker.look()));
    await Promise.all(workers.map((worker) => worker.stop()));
  }

  afterAll(() => void vi.useRealTimers());
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    database = await make();
    nodes = [await startHub(database, {}, { jobs: true }), await startHub(database, {}, { jobs: true })];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database?.remove();
  });
  beforeEach(async () => {
    await db().updateTable('channels').set({ deleted_time: 1 }).execute();
    id = await addChannel(nodes[0]!, upstream().url, { test_model: 'gpt-4o' });
    await root().call(channelKeyApi.add, { params: { id }, body: { keys: 'sk-upstream-key-0002' } });
    key = (await root().call(channelKeyApi.list, { params: { id } })).at(-1)!.id;
    await set('AutomaticEnableChannelEnabled', 'true');
    await rest(3600);
  });

  /** As calls would have left it this many seconds ago. */
  async function rest(agoS: number): Promise<void> {
    const since = Math.floor(Date.now() / 1000) - agoS;
    const off = { status: channelStatus.testDisabled, reason: '401', last_error_time: since, test_time: 0 };
    await db().updateTable('channel_keys').set(off).where('id', '=', key).execute();
  }

  test('comes back when it is good again, after a test by one of the nodes', async () => {
    const before = asked();
    begin();
    await expect.poll(status, { message: 'status of the key' }).toBe(channelStatus.enabled);
    await look();
    expect(asked()).toBe(before + 1);
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer sk-upstream-key-0002');
  });

  test('is asked about seldom, as long as it is refused', async () => {
    const before = asked();
    upstream().behaviour = { status: 401 };
    begin();
    await expect.poll(asked, { message: 'requests to the provider' }).toBe(before + 1);
    await look();
    expect(asked()).toBe(before + 1);
    expect(await status()).toBe(channelStatus.testDisabled);
    upstream().behaviour = {};
    await rest(60);
    await look();
    expect(asked()).toBe(before + 1);
  });

  test('brings its channel back that was switched off for want of a good key', async () => {
    const switched = (to: number) => db().updateTable('channels').set({ status: to }).where('id', '=', id).execute();
    const channel = async () => (await root().call(channelApi.get, { params: { id } })).status;
    await switched(channelStatus.testDisabled);
    begin();
    await expect.poll(channel, { message: 'status of the channel' }).toBe(channelStatus.enabled);
    expect(await status()).toBe(channelStatus.enabled);
    // Manually disabled keys are not tested.
    const before = asked();
    await switched(channelStatus.disabled);
    await rest(3600);
    await look();
    expect([asked(), await status(), await channel()]).toEqual([before, channelStatus.testDisabled, 2]);
  });

  test('all channels are tested as often as the settings say, by one of the nodes', async () => {
    const body = { status: channelStatus.enabled };
    await root().call(channelKeyApi.update, { params: { id, key }, body });
    const job = async () => (await root().call(channelJobApi.list)).find(({ kind }) => kind === 'test')!;
    const ended = async () => {
      await expect.poll(async () => (await job()).state, { message: 'state of the job' }).toBe('done');
    };
    const before = asked();
    await look();
    expect(await job()).toMatchObject({ state: 'none' });
    await set('ChannelTestFrequency', '5');
    // Every node looks each minute; the other node learns of the setting within half a second.
    await expect
      .poll(async () => (begin(), (await job()).state), { interval: 100, message: 'state of the job' })
      .not.toBe('none');
    await ended();
    expect(await job()).toMatchObject({ total: 1, succeeded: 1 });
    await look();
    expect(asked()).toBe(before + 1);
    const earlier = (await job()).started_time - 300;
    await db().updateTable('channel_jobs').set({ started_time: earlier }).execute();
    begin();
    await expect.poll(asked, { message: 'requests to the provider' }).toBe(before + 2);
    await ended();
    await set('ChannelTestFrequency', '0');
  });

  test('stays off if the setting is off, or if an administrator disabled it', async () => {
    const before = asked();
    await set('AutomaticEnableChannelEnabled', 'false');
    const { live } = nodes[1]!.server.deps;
    const message = 'the setting on the other node';
    await expect.poll(() => live.settings.AutomaticEnableChannelEnabled, { message }).toBe(false);
    await look();
    await set('AutomaticEnableChannelEnabled', 'true');
    const body = { status: channelStatus.disabled };
    await root().call(channelKeyApi.update, { params: { id, key }, body });
    await look();
    expect(asked()).toBe(before);
  });
});
