import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage } from './open.ts';
import { script as insertScript } from '#testing/insert-script.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-open-'));
  // An existing folder that all users may read.
  chmodSync(dataDir, 0o755);
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test.runIf(process.platform !== 'win32').each([false, true])(
  'nobody but its owner reads the database, nor its log; there before: %s',
  async (isOld) => {
    const file = path.join(dataDir, 'relay-hub.db');
    if (isOld) for (const each of [file, `${file}-wal`, `${file}-shm`]) writeFileSync(each, '', { mode: 0o644 });
    const storage = openStorage({ databaseUrl: undefined, dataDir });
    try {
      await sql`create table t (a integer)`.execute(storage.db);
      const modes = ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
    } finally {
      await storage.close();
    }
  },
);

test('while another program locks the file, all waiting writes fail with the first; afterwards they succeed', async () => {
  const storage = openStorage({ databaseUrl: undefined, dataDir });
  const other = new DatabaseSync(path.join(dataDir, 'relay-hub.db'));
  try {
    await sql`create table t (a integer)`.execute(storage.db);
    other.exec('begin immediate');
    const add = (a: number) => storage.db.transaction().execute((trx) => sql`insert into t values (${a})`.execute(trx));
    const writes = [storage.prepare(insertScript)(3), add(1), add(4), add(5)];
    const read = sql`select a from t`.execute(storage.db).then(() => 'read');
    const failed = Promise.any(writes.map((write) => write.catch(() => 'failed')));
    expect(await Promise.race([read, failed])).toBe('read');
    // The writes that waited for the first would succeed now.
    await failed;
    other.exec('commit');
    const locked = { status: 'rejected', reason: { message: 'database is locked' } };
    expect(await Promise.allSettled(writes)).toMatchObject([locked, locked, locked, locked]);
    await add(2);
    expect((await sql`select a from t`.execute(storage.db)).rows).toEqual([{ a: 2 }]);
  } finally {
    other.close();
    await storage.close();
  }
}, 30_000);

test('reads do not wait for a transaction', async () => {
  const storage = openStorage({ databaseUrl: undefined, dataDir });
  const { db } = storage;
  try {
    await sql`create table t (a integer primary key)`.execute(db);
    const seen = await db.transaction().execute(async (trx) => {
      await sql`insert into t values (1)`.execute(trx);
      return (await sql`select a from t`.execute(db)).rows;
    });
    expect(seen).toEqual([]);
  } finally {
    await storage.close();
  }
});

test('a failed commit rolls back, reports why, and blocks nothing', async () => {
  const storage = openStorage({ databaseUrl: undefined, dataDir });
  const { db } = storage;
  try {
    await sql`create table t (a integer primary key)`.execute(db);
    await sql`create table u (a integer references t (a) deferrable initially deferred)`.execute(db);
    const orphan = db.transaction().execute((trx) => sql`insert into u values (7)`.execute(trx));
    await expect(orphan).rejects.toThrow('FOREIGN KEY');
    await db.transaction().execute((trx) => sql`insert into t values (1)`.execute(trx));
    expect((await sql`select a from u`.execute(db)).rows).toEqual([]);
    expect((await sql`select a from t`.execute(db)).rows).toEqual([{ a: 1 }]);
  } finally {
    await storage.close();
  }
});
