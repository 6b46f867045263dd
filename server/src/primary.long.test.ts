import { tokenApi, userGroupApi } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { journalFolder, nodesWithJournals } from '#quota/journal.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { addChannel, addToken, liftRates, upstreamForSuite } from '#testing/hub.ts';
import { hasEnded, type ServerProcess, startProcess } from '#testing/process.ts';
import { hello, post } from '#testing/relay-calls.ts';

const WORKERS = 2;
/** Over a separate connection: the workers get connections in turn. */
const apart = { headers: { connection: 'close' } };

onEveryDatabase('workers', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  let server: ServerProcess;
  let storage: Storage;
  let db: Kysely<Tables>;
  const start = () => startProcess(database, { WORKERS: String(WORKERS) });

  beforeEach(async () => {
    database = await make();
    server = await start();
    storage = openStorage(database);
    db = storage.db;
    await addChannel(server, upstream().url);
    upstream().behaviour = {};
    const { key } = await addCaller(db);
    const inTurn = async () => [(await callApart(key)).status, (await callApart(key)).status];
    await expect.poll(inTurn, { message: 'both workers know the channel' }).toEqual([200, 200]);
  });
  afterEach(async () => {
    await server?.kill();
    await storage?.close();
    await database.remove();
  });

  const callApart = (key: string, body: object = hello) => post(server, key, body, '/v1/chat/completions', apart);
  const metrics = async () => {
    const text = await (await fetch(`${server.url}/metrics`, apart)).text();
    return (series: string) =>
      [...text.matchAll(new RegExp(`^${series}(?:\\{.*\\})? (.+)$`, 'gm'))].reduce((sum, [, n]) => sum + Number(n), 0);
  };
  const nodes = async () =>
    (await db.selectFrom('nodes').select('pid').execute()).map(({ pid }) => pid).toSorted((a, b) => a - b);
  const noTrace = async () => {
    expect(nodesWithJournals(journalFolder(database.dataDir))).toEqual([]);
    for (const table of ['leases', 'nodes'] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    // That of a process that was killed is closed.
    expect(await db.selectFrom('journals').where('closed', '=', false).selectAll().execute()).toEqual([]);
  };

  test('a change, a limit per minute, a failing channel and the metrics are the same in every worker', async () => {
    expect(await nodes()).toEqual(server.workers());
    expect(server.workers()).toHaveLength(WORKERS);
    const { key, id } = await addToken(server);
    const earlier = await metrics();
    const calls = () => Promise.all(Array.from({ length: 2 * WORKERS }, () => callApart(key)));
    expect((await calls()).map(({ status }) => status)).toEqual(Array(2 * WORKERS).fill(200));
    for (let scrape = 0; scrape < WORKERS; scrape++) {
      const of = await metrics();
      expect(of('relay_hub_processes')).toBe(WORKERS);
      for (const counted of ['relay_hub_calls_total', 'relay_hub_call_seconds_count'])
        expect(of(counted) - earlier(counted), counted).toBe(2 * WORKERS);
    }

    upstream().behaviour = { status: 429, headers: { 'retry-after': '60' } };
    const before = upstream().requests.total;
    expect((await callApart(key)).status).toBe(429);
    // A scrape passes through all workers, after the news of the failure.
    await metrics();
    for (let call = 0; call < WORKERS; call++) expect((await callApart(key)).status).toBe(429);
    expect(upstream().requests.total).toBe(before + 1);
    upstream().behaviour = {};

    const { data } = await server.root.call(userGroupApi.list, { query: {} });
    const { id: group, name, ratio, public: isPublic } = data.find(({ symbol }) => symbol === 'default')!;
    await server.root.call(userGroupApi.update, { body: { id: group, name, ratio, public: isPublic, api_rate: 3 } });
    const others = (sent: string) => callApart(sent, { ...hello, model: 'nobody-serves-this' });
    const limits = async () => {
      const { key: one } = await addCaller(db);
      const replies = [await others(one), await others(one)];
      return replies.map(({ headers }) => headers.get('x-ratelimit-limit-requests'));
    };
    await expect.poll(limits, { message: 'the new limit in both workers' }).toEqual(['3', '3']);
    const { key: limited } = await addCaller(db);
    const served: number[] = [];
    for (let call = 0; call < 3 * WORKERS; call++) served.push((await others(limited)).status);
    expect(served.filter((status) => status === 429)).toHaveLength(3 * WORKERS - 3);

    await server.root.call(tokenApi.remove, { params: { id } });
    await expect
      .poll(async () => (await calls()).map(({ status }) => status), { message: 'a deleted key' })
      .toEqual(Array(2 * WORKERS).fill(401));
  });

  test('a killed worker is replaced, and no charge is lost or doubled', async () => {
    await liftRates(server.root);
    const who = await addCaller(db, { quota: 1_000_000_000 });
    upstream().behaviour = { delayMs: 20 };
    const seen = { whole: 0, cut: 0 };
    const clock = { over: false };
    const client = async () => {
      while (!clock.over) {
        const { status } = await callApart(who.key).catch(() => ({ status: 0 }));
        if (status === 200) seen.whole++;
        else if (status === 0) seen.cut++;
        else throw new Error(`a call was refused with ${status}`);
      }
    };
    const before = server.workers();
    const earlier = upstream().requests.total;
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await expect.poll(() => seen.whole, { message: 'calls before the kill' }).toBeGreaterThan(20);
    process.kill(before[0]!, 'SIGKILL');
    const replaced = async () => (await nodes()).join() === server.workers().join() && server.workers().length;
    await expect.poll(replaced, { message: 'a new worker', timeout: 20_000 }).toBe(WORKERS);
    const { whole } = seen;
    await expect.poll(() => seen.whole, { message: 'calls after it' }).toBeGreaterThan(whole + 20);
    clock.over = true;
    await clients;
    expect(server.workers()).toContain(before[1]);
    expect(server.workers()).not.toContain(before[0]);
    expect(server.child.exitCode).toBe(null);

    server.child.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const rows = await rowsOf(db, who);
    const charged = rows.filter(({ quota }) => quota > 0);
    // A call that was cut may have been charged before: its answer was on the way.
    expect(charged.length).toBeGreaterThanOrEqual(seen.whole);
    expect(rows.length).toBeLessThanOrEqual(seen.whole + seen.cut);
    expect(upstream().requests.total - earlier).toBeLessThanOrEqual(rows.length);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length);
    await expectBooksBalance(db);
    await noTrace();
  }, 60_000);

  test('asked to stop, all workers finish their streams', async () => {
    const who = await addCaller(db);
    upstream().behaviour = { chunks: 20, chunkMs: 50 };
    const earlier = upstream().requests.total;
    const streams = Array.from({ length: 2 * WORKERS }, () => callApart(who.key, { ...hello, stream: true }));
    await upstream().requests.waitFor(() => upstream().requests.total === earlier + 2 * WORKERS);
    // As Ctrl+C in a terminal, which signals every process.
    for (const pid of [...server.workers(), server.child.pid!]) process.kill(pid, 'SIGINT');
    for (const { text } of await Promise.all(streams)) expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.errors()).toBe('');
    expect(await rowsOf(db, who)).toHaveLength(2 * WORKERS);
    await expectBooksBalance(db);
    await noTrace();
  });

  test('when the primary process is killed, its workers end, and the next start settles their calls', async () => {
    const who = await addCaller(db);
    const earlier = upstream().requests.total;
    upstream().next({ delayMs: 60_000 });
    const call = callApart(who.key).catch(() => 'broken off');
    await upstream().requests.waitFor(() => upstream().requests.total === earlier + 1);
    const workers = server.workers();
    await server.kill();
    expect(await call).toBe('broken off');
    await expect.poll(() => workers.every(hasEnded), { message: 'the end of the workers' }).toBe(true);
    server = await start();
    expect(await rowsOf(db, who)).toMatchObject([{ quota: 0, metadata: { outcome: 'released' } }]);
    await expectBooksBalance(db);
  });
});
