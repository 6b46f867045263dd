import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, startHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';

onEveryDatabase('lost database', (make) => {
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
      const who = await addCaller(db);
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
});
