import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { journalFolder, nodesWithJournals } from '#quota/journal.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, tokenOf, userOf } from '#testing/callers.ts';
import { type EmptyDatabase, onOneDatabase } from '#testing/databases.ts';
import { addChannel, upstreamForSuite } from '#testing/hub.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { clientOf, hello, post } from '#testing/relay-calls.ts';

onOneDatabase('process', (make) => {
  const upstream = upstreamForSuite();
  const raw = rawUpstreamForSuite();
  let database: EmptyDatabase;
  let server: ServerProcess;
  let storage: Storage;
  let db: Kysely<Tables>;

  beforeEach(async () => {
    database = await make();
    server = await startProcess(database);
    storage = openStorage(database);
    db = storage.db;
    await addChannel(server, upstream().url);
  });
  afterEach(async () => {
    await server.kill();
    await storage.close();
    await database.remove();
  });

  test('a killed process’s open calls are released by the next one, its answered calls charged', async () => {
    const who = await addCaller(db, { quota: 100_000, remain: 50_000 });
    // 9 × 1.25 for the prompt, 100 × 5 for the answer.
    const short = { ...hello, max_tokens: 100 };
    const before = upstream().requests.total;
    expect((await post(server, who.key, hello)).status).toBe(200);
    await expect.poll(() => rowsOf(db, who)).toHaveLength(1);
    const [answered] = await rowsOf(db, who);
    upstream().behaviour = ({ body }) =>
      body.includes('"stream":true') ? { chunks: 100, chunkMs: 1000 } : { delayMs: 60_000 };
    const calls = Promise.allSettled(
      [short, short, { ...short, stream: true }].map((body) => post(server, who.key, body)),
    );
    await upstream().requests.waitFor(() => upstream().requests.total === before + 4);

    await server.kill();
    expect((await calls).every(({ status }) => status === 'rejected')).toBe(true);
    expect(nodesWithJournals(journalFolder(database.dataDir))).toHaveLength(1);
    await expectBooksBalance(db);

    upstream().behaviour = {};
    server = await startProcess(database);
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(nodesWithJournals(journalFolder(database.dataDir))).toEqual([]);
    expect(await userOf(db, who)).toEqual({
      balance: 100_000 - answered!.quota,
      used_quota: answered!.quota,
      request_count: 4,
    });
    expect(await tokenOf(db, who)).toEqual({ remain_quota: 50_000 - answered!.quota, used_quota: answered!.quota });
    const rows = await rowsOf(db, who);
    expect(rows).toHaveLength(4);
    for (const row of rows.slice(1))
      expect(row).toMatchObject({ quota: 0, failed: true, metadata: { outcome: 'released', reserved: 512 } });
    await expectBooksBalance(db);
    expect((await post(server, who.key, hello)).status).toBe(200);
  });

  /** A call whose answer comes when `answer` is called. */
  async function openCall(): Promise<{ who: TestCaller; call: ReturnType<typeof post>; answer: () => void }> {
    const who = await addCaller(db);
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      raw().reply = (response) => {
        answer = () =>
          sendJson(response, {
            choices: [{ message: { content: 'hi' } }],
            usage: { prompt_tokens: 8, completion_tokens: 1 },
          });
        resolve();
      };
    });
    await addChannel(server, raw().url, { models: 'gpt-4.1' });
    const call = post(server, who.key, { ...hello, model: 'gpt-4.1' });
    await asked;
    return { who, call, answer: () => answer() };
  }

  test('another process on one PostgreSQL releases no calls of the first; on one SQLite it is refused', async () => {
    const { who, call, answer } = await openCall();
    const other = await startProcess(database).catch((error: unknown) => String(error));
    if (typeof other === 'string') {
      expect(other).toContain(`Another process (${hostname()} ${server.child.pid}) serves ${database.dataDir}`);
      expect(other).not.toContain('    at ');
    }
    expect(typeof other === 'string').toBe(database.databaseUrl === undefined);
    answer();
    expect((await call).status).toBe(200);
    await expect.poll(() => rowsOf(db, who)).toHaveLength(1);
    expect(await rowsOf(db, who)).toMatchObject([{ prompt_tokens: 8, metadata: { outcome: 'answered' } }]);
    await expectBooksBalance(db);
    if (typeof other !== 'string') await other.kill();
  });

  test('the next process starts while one that stops finishes its calls', async () => {
    const { who, call, answer } = await openCall();
    server.child.kill('SIGTERM');
    const listens = () => fetch(`${server.url}/healthz`).then(Boolean, () => false);
    await expect.poll(listens, { timeout: 10_000 }).toBe(false);
    const next = await startProcess(database);
    try {
      answer();
      expect((await call).status).toBe(200);
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect(await rowsOf(db, who)).toMatchObject([{ metadata: { outcome: 'answered' } }]);
    } finally {
      await next.kill();
    }
  });

  test('asked to stop, it finishes its streams, writes their rows and ends well', async () => {
    const who = await addCaller(db);
    upstream().next({ chunks: 20, chunkMs: 40 });
    let pieces = 0;
    for await (const chunk of await clientOf(server, who.key).chat.completions.create({ ...hello, stream: true })) {
      if (pieces++ === 1) server.child.kill('SIGTERM');
      if (chunk.choices[0]?.finish_reason) expect(chunk.choices[0].finish_reason).toBe('stop');
    }
    expect(pieces).toBe(22);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.errors()).toBe('');
    expect(await rowsOf(db, who)).toMatchObject([
      { failed: false, metadata: { outcome: 'answered', usage_source: 'upstream' } },
    ]);
    expect(nodesWithJournals(journalFolder(database.dataDir))).toEqual([]);
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('journals').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('nodes').selectAll().execute()).toEqual([]);
    await expectBooksBalance(db);
  });

  test('asked to stop, it lets a slow reader have the end of a stream', async () => {
    const who = await addCaller(db);
    upstream().next({ chunks: 1500, chunkBytes: 4000 });
    const answer = await new Promise<IncomingMessage>((resolve) => {
      const headers = { authorization: `Bearer ${who.key}` };
      request({ port: new URL(server.url).port, path: '/v1/chat/completions', method: 'POST', headers }, resolve).end(
        JSON.stringify({ ...hello, stream: true }),
      );
    });
    server.child.kill('SIGTERM');
    let text = '';
    for await (const piece of answer) {
      text += String(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(await rowsOf(db, who)).toMatchObject([{ metadata: { outcome: 'answered' } }]);
  });

  test('asked twice, it ends at once, and the next one releases what was open', async () => {
    const who = await addCaller(db);
    upstream().next({ delayMs: 60_000 });
    const before = upstream().requests.total;
    const call = post(server, who.key, hello).catch(() => 'broken off');
    await upstream().requests.waitFor(() => upstream().requests.total > before);
    server.child.kill('SIGTERM');
    await expect
      .poll(
        () =>
          fetch(`${server.url}/readyz`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 5000 },
      )
      .not.toBe(200);
    // As a supervisor does that signals the whole process tree.
    server.child.kill('SIGTERM');
    await sleep(1_100);
    expect(server.child.exitCode).toBe(null);
    server.child.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 1, signal: null });
    expect(await call).toBe('broken off');
    server = await startProcess(database);
    expect(await rowsOf(db, who)).toMatchObject([{ quota: 0, metadata: { outcome: 'released' } }]);
    await expectBooksBalance(db);
  });
});
