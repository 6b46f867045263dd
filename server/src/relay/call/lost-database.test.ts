import { sql } from 'kysely';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { addChannel, startHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';
import { tunnelTo } from '#testing/network/tunnel.ts';

onOneDatabase('lost database', (make) => {
  const upstream = upstreamForSuite();

  test('connections that PostgreSQL ends during calls are replaced, and every call is charged', async ({ skip }) => {
    const database = await make();
    const { databaseUrl } = database;
    if (databaseUrl === undefined) {
      await database.remove();
      skip('only PostgreSQL has connections to lose');
      return;
    }
    const hub = await startHub(database);
    const { db } = hub.server.deps;
    try {
      await addChannel(hub, upstream().url);
      const who = await addCaller(db, { quota: 100_000_000 });
      upstream().behaviour = { delayMs: 500 };
      const calls = Array.from({ length: 20 }, () => post(hub, who.key, hello));
      await upstream().requests.waitFor(() => upstream().requests.total === 20);
      const admin = new pg.Client({ connectionString: inject('postgresUrl') });
      await admin.connect();
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        new URL(databaseUrl).pathname.slice(1),
      ]);
      await admin.end();
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(await rowsOf(db, who)).toHaveLength(20);
      await expectBooksBalance(db);
    } finally {
      await hub.close();
      await database.remove();
    }
  });

  test('connections that break without a word, with a batch on one of them, do not end the process', async ({
    skip,
  }) => {
    const database = await make();
    if (database.databaseUrl === undefined) {
      await database.remove();
      skip('only PostgreSQL has connections to lose');
      return;
    }
    const tunnel = await tunnelTo(database.databaseUrl);
    const storage = openStorage(database);
    const hub = await startHub({ ...database, databaseUrl: tunnel.url });
    try {
      await addChannel(hub, upstream().url);
      upstream().behaviour = {};
      const who = await addCaller(storage.db, { quota: 100_000_000 });
      expect((await post(hub, who.key, hello)).status).toBe(200);
      await storage.db.transaction().execute(async (trx) => {
        await trx.selectFrom('users').where('id', '=', who.userId).select('id').forUpdate().execute();
        expect((await post(hub, who.key, hello)).status).toBe(200);
        const waiting = () =>
          sql<{ count: number }>`select count(*) as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(storage.db);
        await expect
          .poll(async () => (await waiting()).rows[0]!.count, { message: 'queries that wait' })
          .toBeGreaterThan(0);
        tunnel.breakAll();
      });
      await expect
        .poll(async () => (await rowsOf(storage.db, who)).length, { timeout: 20_000, message: 'rows of the caller' })
        .toBe(2);
      await expect
        .poll(async () => (await post(hub, who.key, hello)).status, { timeout: 20_000, message: 'status of a call' })
        .toBe(200);
      await hub.server.deps.book.caughtUp();
      await expectBooksBalance(storage.db);
    } finally {
      await hub.close();
      await storage.close();
      tunnel.close();
      await database.remove();
    }
  }, 60_000);
});
