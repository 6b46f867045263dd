import { analyticsApi, channelApi, channelTagApi, type Cockpit, optionApi, userApi } from '@relay-hub/contract';
import { beforeEach, expect, test } from 'vitest';
import { isPostgres } from '#db/dialect-differences.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { troublesNow } from '#jobs/present-troubles.ts';
import { journalFolder } from '#quota/journal.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { hello, post } from '#testing/relay-calls.ts';

onEveryDatabase('health by attempts', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const weak = upstreamForSuite();
  const strong = upstreamForSuite();
  const db = () => hub().server.deps.db;
  const ids = { weak: 0, strong: 0 };
  let who: TestCaller;

  beforeEach(async () => {
    for (const { id } of (await hub().root.call(channelApi.list, { query: { size: 50 } })).data)
      await hub().root.call(channelApi.remove, { params: { id } });
    ids.weak = await addChannel(hub(), weak().url, { name: 'weak', priority: 9, tag: 'pair' });
    ids.strong = await addChannel(hub(), strong().url, { name: 'strong', priority: 1, tag: 'pair' });
    await hub().root.call(optionApi.set, { body: { key: 'RetryCooldownSeconds', value: '0' } });
    weak().behaviour = {};
    strong().behaviour = {};
    who = await addCaller(db());
  });

  /** Makes calls and waits until they are counted, without freezing. */
  async function call(times = 1, body: object = hello): Promise<number> {
    let status = 0;
    for (let made = 0; made < times; made++) {
      ({ status } = await post(hub(), who.key, body));
      for (const id of Object.values(ids)) hub().server.deps.live.health.forget(id);
    }
    await caughtUp(db());
    return status;
  }

  async function dayOf(id: number) {
    const health = (await hub().root.call(channelApi.health)).find(({ channel_id }) => channel_id === id)!;
    expect(health.hours).toHaveLength(24);
    return health.hours.at(-1);
  }
  const read = (id: number) => hub().root.call(channelApi.get, { params: { id } });

  test('a channel whose failures are rescued by another one is failing, in every place that reports it', async () => {
    const { root } = hub();
    weak().behaviour = { status: 429 };
    expect(await call(3)).toBe(200);
    weak().behaviour = { fault: 'refuse' };
    expect(await call(1)).toBe(200);

    expect(await dayOf(ids.weak)).toEqual({ requests: 4, failures: 4, reasons: { rate: 3, connect: 1 } });
    expect(await dayOf(ids.strong)).toEqual({ requests: 4, failures: 0 });
    const trouble = { kind: 'failing', attempts: 4, failures: 4, minutes: 10, reason: 'rate' };
    expect(await read(ids.weak)).toMatchObject({ status: 1, trouble });
    expect(await read(ids.strong)).toMatchObject({ trouble: null });
    const list = await root.call(channelApi.list, { query: { order: 'trouble' } });
    expect(list.data.map(({ name, trouble: told }) => [name, told?.kind])).toEqual([
      ['weak', 'failing'],
      ['strong', undefined],
    ]);
    const only = await root.call(channelApi.list, { query: { trouble: 1 } });
    expect(only.data.map(({ id }) => id)).toEqual([ids.weak]);
    expect((await root.call(channelTagApi.list, { query: { tag: 'pair' } })).data).toMatchObject([{ failing: 1 }]);
    expect(await root.call(userApi.self)).toMatchObject({ troubled_channels: 1 });
    expect(await root.call(analyticsApi.statistics)).toMatchObject({ failing_channels: 1, frozen_channels: 0 });
    const { promise: shown, resolve: show } = Promise.withResolvers<Cockpit>();
    const stop = hub().server.deps.hourWatch.watch(show);
    const states = (await shown).channels.map(({ id, state }) => [id, state]);
    stop();
    expect(new Map(states as [number, string][])).toEqual(
      new Map([
        [ids.weak, 'failing'],
        [ids.strong, 'well'],
      ]),
    );
    const incidents = await troublesNow(hub().server.deps);
    expect(incidents.filter(({ kind }) => kind === 'channel')).toMatchObject([
      { object: String(ids.weak), severity: 'error', params: { attempts: 4, failed: 4, minutes: 10 } },
    ]);
    await expectBooksBalance(db());
  });

  test('what the request or its caller did wrong is no failure of the channel, and a test is no attempt', async () => {
    weak().behaviour = { status: 400 };
    expect(await call(2)).toBe(400);
    expect(await dayOf(ids.weak)).toEqual({ requests: 0, failures: 0 });
    expect(await read(ids.weak)).toMatchObject({ trouble: null, last_error: '' });
    weak().behaviour = {};
    await call(1);
    expect(await dayOf(ids.weak)).toEqual({ requests: 1, failures: 0 });
    expect(await read(ids.weak)).toMatchObject({ trouble: null });
    await hub().root.call(channelApi.test, { params: { id: ids.weak }, query: { model: 'gpt-4o' } });
    expect(await dayOf(ids.weak)).toEqual({ requests: 1, failures: 0 });
    expect(await dayOf(ids.strong)).toEqual({ requests: 0, failures: 0 });
    await expectBooksBalance(db());
  });

  test('a channel that every call fails at, and that no other one rescues, fails with them', async () => {
    weak().behaviour = { status: 503 };
    strong().behaviour = { status: 500 };
    await call(1);
    expect(await dayOf(ids.weak)).toMatchObject({ requests: 1, failures: 1, reasons: { server: 1 } });
    expect(await dayOf(ids.strong)).toMatchObject({ requests: 1, failures: 1 });
  });

  test('the books balance while sums of calls are pending', async () => {
    const { storage, config, book } = hub().server.deps;
    weak().behaviour = { status: 500 };
    strong().behaviour = { status: 500 };
    await post(hub(), who.key, hello);
    while (book.waiting > 0) await book.caughtUp();
    const pending = await storage.snapshot((each) => each.selectFrom('pending_sums').select('calls').execute());
    expect(pending).toEqual(isPostgres(db()) ? [{ calls: 1 }] : []);
    const { checks } = await checkBooks(storage, journalFolder(config.dataDir));
    expect(checks.filter(({ differing }) => differing > 0)).toEqual([]);
  });

  test('the books compare the attempts with the log', async () => {
    weak().behaviour = { status: 500 };
    await call(2);
    const { storage, config } = hub().server.deps;
    const attempts = async () =>
      (await checkBooks(storage, journalFolder(config.dataDir))).checks.find(({ check }) => check === 'attempts')!;
    const compared = await attempts();
    expect(compared).toMatchObject({ differing: 0 });
    expect(compared.compared).toBeGreaterThanOrEqual(2);
    await db()
      .updateTable('attempts_by_channel')
      .set({ attempts: 7 })
      .where('channel_id', '=', ids.weak)
      .where('kind', '=', 'server')
      .execute();
    expect(await attempts()).toMatchObject({
      differing: 1,
      differences: [{ of: expect.stringContaining(`channel ${ids.weak}`), expected: '2', found: '7' }],
    });
  });
});
