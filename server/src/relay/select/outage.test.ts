import { channelApi, optionApi, routeApi } from '@relay-hub/contract';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

/** No listener here. */
const DEAD = 'http://127.0.0.1:1';
const DEAD_TOO = 'http://127.0.0.1:2';

onOneDatabase('an outage of one provider', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  const live = () => hub().server.deps.live;
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let ids: number[] = [];
  let lateMs = 0;

  const add = async (url: string, more: object) => {
    const id = await addChannel(hub(), url, { models: 'gpt-4o', ...more });
    ids.push(id);
    return id;
  };
  const call = () => post(hub(), who.key, hello);
  const attempts = async () => (await rowsOf(db(), who)).map(({ metadata }) => metadata?.attempts ?? []);
  const explain = async () => (await hub().root.call(routeApi.explain, { body: { model: 'gpt-4o' } })).candidates;

  beforeAll(() => hub().root.call(optionApi.set, { body: { key: 'RetryTimes', value: '2' } }));
  beforeEach(async () => {
    who = await addCaller(db());
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + lateMs);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    lateMs = 0;
    upstream().behaviour = {};
    for (const id of ids) {
      live().absolve(id);
      await hub().root.call(channelApi.remove, { params: { id } });
    }
    ids = [];
    expect(hub().server.deps.book.openCalls).toBe(0);
    await expectBooksBalance(db());
  });

  test('leaves every call to a channel elsewhere, however many channels are at the dead address', async () => {
    for (let i = 0; i < 7; i++) await add(DEAD, { priority: 30, name: `dead ${i}` });
    const spare = await add(upstream().url, { priority: 0, name: 'spare' });
    for (let i = 0; i < 12; i++) {
      expect((await call()).status).toBe(200);
      lateMs += 6_000;
    }
    const told = await attempts();
    for (const each of told) expect(each.at(-1)).toMatchObject({ channel_id: spare, result: 'ok' });
    expect(told[0]).toMatchObject([
      { result: 'connect_failed', cause: 'connect', next: 'other_host' },
      { result: 'ok' },
    ]);
    // Each rest is longer than the one before and shared by all channels of the host.
    const tries = told.map((each) => each.length - 1);
    expect(tries.every((count) => count <= 1)).toBe(true);
    expect(tries.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5);
    expect(
      told
        .filter((each) => each.length > 1)
        .slice(1)
        .flatMap(([first]) => first?.probe),
    ).toEqual(
      tries
        .slice(1)
        .filter((count) => count > 0)
        .map(() => true),
    );
  });

  test('affects all channels of the host and ends with the first successful call', async () => {
    const paused = await upstreamAt();
    for (let i = 0; i < 3; i++) await add(paused.url, { priority: 30, name: `away ${i}` });
    await add(upstream().url, { priority: 0, name: 'spare' });
    await paused.close();
    await call();
    expect(await explain()).toMatchObject([
      { channel_name: 'spare', share: 1, host_down: false },
      ...Array.from({ length: 3 }, () => ({
        skipped: 'host_down',
        host_down: true,
        cause: 'connect',
        host: new URL(paused.url).host,
      })),
    ]);
    for (const id of ids.slice(0, 3))
      expect((await hub().root.call(channelApi.get, { params: { id } })).frozen_until).toBeGreaterThan(0);
    lateMs += 6_000;
    expect((await explain()).filter(({ probe }) => probe)).toHaveLength(3);
    await paused.open();
    expect((await call()).status).toBe(200);
    expect((await attempts()).at(-1)).toMatchObject([{ result: 'ok', probe: true }]);
    expect(live().hosts.untroubled).toBe(true);
    expect((await explain()).every(({ host_down }) => !host_down)).toBe(true);
    await paused.close();
  });

  test('of a proxy is the proxy’s: channels that go straight to the same host are well', async () => {
    for (let i = 0; i < 4; i++) await add(upstream().url, { priority: 30, proxy: DEAD, name: `by proxy ${i}` });
    const straight = await add(upstream().url, { priority: 0, name: 'straight' });
    for (let i = 0; i < 4; i++) expect((await call()).status).toBe(200);
    const told = await attempts();
    expect(told[0]).toMatchObject([{ cause: 'connect', next: 'other_host' }, { channel_id: straight }]);
    // Other channels at the dead proxy were never tried.
    for (const each of told.slice(1)) expect(each).toMatchObject([{ channel_id: straight, result: 'ok' }]);
    expect((await explain())[1]?.host).toMatch(/^127\.0\.0\.1:\d+ via 127\.0\.0\.1:1$/);
  });

  test('of several hosts at once, and none of it uses up the attempts', async () => {
    await hub().root.call(optionApi.set, { body: { key: 'RetryTimes', value: '0' } });
    for (const [i, url] of [DEAD, DEAD_TOO, 'http://127.0.0.1:3', 'http://127.0.0.1:4'].entries())
      await add(url, { priority: 30 - i });
    await add(upstream().url, { priority: 0 });
    for (let i = 0; i < 5; i++) expect((await call()).status).toBe(200);
    expect((await attempts())[0]).toHaveLength(5);
    await hub().root.call(optionApi.set, { body: { key: 'RetryTimes', value: '2' } });
  });

  test('of everything is refused at once with the reason and probed every few seconds', async () => {
    for (let i = 0; i < 3; i++) await add(DEAD, { name: `dead ${i}` });
    for (let i = 0; i < 5; i++) {
      expect([502, 503]).toContain((await call()).status);
    }
    const refused = await call();
    expect(refused.status).toBe(503);
    expect(errorOf(refused).code).toBe('no_available_channel');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect((await explain()).map(({ skipped, cause }) => [skipped, cause])).toEqual(
      Array.from({ length: 3 }, () => ['host_down', 'connect']),
    );
    lateMs += 3_000;
    expect((await call()).status).toBe(502);
    expect((await attempts()).at(-1)?.[0]).toMatchObject({ cause: 'connect', probe: true, next: 'host_down' });
  });

  test('that answers with errors leaves the last attempt to another priority', async () => {
    upstream().behaviour = { status: 503 };
    const others = await upstreamAt();
    for (let i = 0; i < 7; i++) await add(upstream().url, { priority: 30 });
    const spare = await add(others.url, { priority: 0 });
    for (let i = 0; i < 12; i++) {
      expect((await call()).status).toBe(200);
      lateMs += 6_000;
    }
    expect((await attempts())[0]!.map(({ cause }) => cause)).toEqual(['server', 'server', undefined]);
    for (const each of await attempts()) expect(each.at(-1)?.channel_id).toBe(spare);
    await others.close();
  });
});

/** A provider that can go away and come back at its address. */
async function upstreamAt() {
  const { startUpstream } = await import('#upstream-simulator/start-upstream.ts');
  let running = await startUpstream({});
  const { url } = running;
  return {
    url,
    close: () => running.close(),
    open: async () => void (running = await startUpstream({ port: Number(new URL(url).port) })),
  };
}
