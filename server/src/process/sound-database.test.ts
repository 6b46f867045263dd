import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { channelApi, userApi } from '@relay-hub/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStorage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { type EmptyDatabase, newSqlite } from '#testing/databases.ts';
import { addChannel, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { errorOf, hello, post } from '#testing/relay-calls.ts';

const upstream = upstreamForSuite();
let database: EmptyDatabase;
let file: string;
beforeEach(async () => {
  database = await newSqlite();
  file = path.join(database.dataDir, 'relay-hub.db');
});
afterEach(() => database.remove());

/** Overwrites the first page of the users table. */
function spoil(): void {
  const sqlite = new DatabaseSync(file);
  const { size } = sqlite.prepare('select page_size as size from pragma_page_size').get() as { size: number };
  const { rootpage } = sqlite.prepare("select rootpage from sqlite_master where name = 'users'").get() as {
    rootpage: number;
  };
  sqlite.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (rootpage - 1) * size, rootpage * size);
  writeFileSync(file, bytes);
}

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, ((await answer.json()) as { status: string }).status];
};

/** The state of the storage as administrators and Prometheus read it. */
async function storageOf({ root, url }: TestHub) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const number = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    );
  return {
    self: (await root.call(userApi.self)).storage,
    writable: number('relay_hub_storage_writable'),
    damaged: number('relay_hub_database_damaged'),
    free: number('relay_hub_disk_bytes{kind="free"}'),
    size: number('relay_hub_disk_bytes{kind="size"}'),
  };
}

test('a clean stop leaves one file, and a copy of it is complete', async () => {
  const hub = await startHub(database);
  await addChannel(hub, upstream().url);
  const who = await addCaller(hub.server.deps.db);
  for (let n = 0; n < 20; n++) expect((await post(hub, who.key, hello)).status).toBe(200);
  await hub.close();
  expect(readdirSync(database.dataDir).filter((name) => name.startsWith('relay-hub.db'))).toEqual(['relay-hub.db']);
  const other = await newSqlite();
  copyFileSync(file, path.join(other.dataDir, 'relay-hub.db'));
  const copy = openStorage(other);
  expect(await rowsOf(copy.db, who)).toHaveLength(20);
  await expectBooksBalance(copy.db);
  await copy.close();
  await other.remove();
});

test('a database that proves damaged stops calls and says so, to callers, pages and load balancers', async () => {
  await (await startHub(database)).close();
  const hub = await startHub(database);
  try {
    await addChannel(hub, upstream().url);
    const who = await addCaller(hub.server.deps.db);
    expect((await post(hub, who.key, hello)).status).toBe(200);
    expect(await readiness(hub.url)).toEqual([200, 'ready']);
    const before = upstream().requests.total;
    // Reported as SQLite would; a test cannot make SQLite fail while the pages are cached.
    const { damage } = hub.server.deps.storage;
    const told: string[] = [];
    const { onFound } = damage;
    damage.onFound = (reason) => {
      told.push(reason);
      onFound(reason);
    };
    damage.note(Object.assign(new Error('database disk image is malformed'), { errcode: 11 | (3 << 8) }));
    const refused = await post(hub, who.key, hello);
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'database_damaged']);
    expect(upstream().requests.total).toBe(before);
    expect(await readiness(hub.url)).toEqual([503, 'database is damaged']);
    expect(await storageOf(hub)).toMatchObject({ self: 'damaged', damaged: 1 });
    expect(told).toEqual(['database disk image is malformed']);
  } finally {
    await hub.close();
  }
});

test.each(['relay-hub.db', 'relay-hub.db-wal', 'relay-hub.db-shm'])(
  '%s, deleted or replaced while in use, is noticed within a minute, and nothing more is written',
  async (name) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const hub = await startHub(database);
    try {
      await addChannel(hub, upstream().url);
      const who = await addCaller(hub.server.deps.db);
      expect((await post(hub, who.key, hello)).status).toBe(200);
      await expect.poll(() => rowsOf(hub.server.deps.db, who), { message: 'the row of the call' }).toHaveLength(1);
      vi.advanceTimersByTime(30_000);
      expect(await readiness(hub.url)).toEqual([200, 'ready']);
      rmSync(path.join(database.dataDir, name));
      if (name === 'relay-hub.db') writeFileSync(file, 'another file');
      vi.advanceTimersByTime(30_000);
      expect(await readiness(hub.url)).toEqual([503, 'database is damaged']);
      expect(hub.server.deps.storage.damage.reason).toContain(`${name} was deleted or replaced`);
      const before = upstream().requests.total;
      const refused = await post(hub, who.key, hello);
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'database_damaged']);
      expect(upstream().requests.total).toBe(before);
      expect(await hub.root.try(channelApi.remove, { params: { id: 1 } })).toMatchObject({
        status: 503,
        body: { code: 'database.damaged' },
      });
      if (name === 'relay-hub.db') expect(readFileSync(file, 'utf8')).toBe('another file');
    } finally {
      vi.useRealTimers();
      await hub.close();
    }
  },
);

test('a damaged file is found by the query that meets it', async () => {
  await (await startHub(database)).close();
  spoil();
  const storage = openStorage(database);
  await expect(storage.db.selectFrom('users').selectAll().execute()).rejects.toThrow(/malformed/);
  expect(storage.damage.reason).toMatch(/malformed/);
  await storage.close();
});

test.each([
  ['after a clean stop', ''],
  ['beside the log of another copy', 'another copy'],
])('a damaged file ends the start by its name, %s', async (_, log) => {
  await (await startHub(database)).close();
  spoil();
  if (log) writeFileSync(`${file}-wal`, log);
  const before = readFileSync(file);
  await expect(startHub(database)).rejects.toThrow(/relay-hub\.db is damaged .*Restore it from a backup/);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('an empty file beside a used folder is named as the cause', async () => {
  await (await startHub(database)).close();
  writeFileSync(file, '');
  await expect(startHub(database)).rejects.toThrow(/relay-hub\.db is empty.*relay-hub\.db-wal/);
  expect(existsSync(path.join(database.dataDir, 'database.id'))).toBe(true);
});

test('while calls cannot be written down, the server is not ready, and it is again when they can', async () => {
  const hub = await startHub(database);
  try {
    await addChannel(hub, upstream().url);
    const who = await addCaller(hub.server.deps.db);
    const journal = path.join(database.dataDir, 'journal');
    rmSync(journal, { recursive: true, force: true });
    writeFileSync(journal, 'a file where the folder was');
    const refused = await post(hub, who.key, hello);
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'storage_full']);
    expect(await readiness(hub.url)).toEqual([503, 'storage is full']);
    expect(await storageOf(hub)).toMatchObject({ self: 'full', writable: 0, damaged: 0 });
    rmSync(journal);
    mkdirSync(journal);
    await expect.poll(() => readiness(hub.url), { timeout: 15_000, message: 'readiness' }).toEqual([200, 'ready']);
    expect((await post(hub, who.key, hello)).status).toBe(200);
    const { free, size, ...state } = await storageOf(hub);
    expect(state).toEqual({ self: 'ok', writable: 1, damaged: 0 });
    expect(size).toBeGreaterThan(free);
  } finally {
    await hub.close();
  }
});
