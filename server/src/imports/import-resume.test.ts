import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { emptySqlite, onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { oneHub } from '#testing/old-databases/old-worlds.ts';
import { ImportError, runImport } from './run-import.ts';
import type { OldDatabase } from './sources/old-database.ts';
import { openSource } from './sources/open-source.ts';

onEveryDatabase('an import that was broken off', (make) => {
  const hub = hubForSuite(make);
  let file: string;
  beforeAll(async () => {
    file = path.join((await emptySqlite()).dataDir, 'one-api.db');
    writeOldSqlite(file, oneHub('http://127.0.0.1:1'));
  });

  const run = async (change: (database: OldDatabase) => OldDatabase = (same) => same, source = '') => {
    const { db, secrets, now } = hub().server.deps;
    const database = await openSource(file);
    const options = {
      source,
      apply: true,
      final: false,
      accessTokens: false,
      administrators: true,
      securitySettings: true,
    };
    try {
      return await runImport(change(database), { db, secrets, now: now() }, options);
    } finally {
      await database.close();
    }
  };

  test('goes on where it stopped, and posts nothing twice', async () => {
    const { db } = hub().server.deps;
    let reads = 0;
    const withoutTokens = (database: OldDatabase): OldDatabase => ({
      ...database,
      // Groups are read from the tokens, too, before anything is written.
      async *rows(table) {
        if (table === 'tokens' && ++reads > 1) throw new Error('connection lost');
        yield* database.rows(table);
      },
    });
    await expect(run(withoutTokens)).rejects.toThrow('connection lost');
    expect(await db.selectFrom('imports').selectAll().execute()).toMatchObject([{ ended_time: 0, runs: 1 }]);
    const entries = db.selectFrom('ledger').where('reference', 'like', 'import:%').select(['reference', 'credits']);
    const before = await entries.execute();
    expect(before).toHaveLength(4);

    const { report } = await run();
    expect(Object.fromEntries(report.counts)).toMatchObject({
      user: { added: 0, same: 4 },
      token: { added: 4 },
      channel: { added: 2 },
    });
    expect(await entries.execute()).toEqual(before);
    await expectBalances();
  });

  test('another installation under the same name is refused', async () => {
    const renamed = (database: OldDatabase): OldDatabase => ({
      ...database,
      async *rows(table) {
        for await (const row of database.rows(table))
          yield table === 'users' ? { ...row, username: `other-${String(row['id'])}` } : row;
      },
    });
    await expect(run(renamed)).rejects.toThrow(ImportError);
    await run(renamed, 'second');
    await expectBalances();
  });

  async function expectBalances(): Promise<void> {
    const { db } = hub().server.deps;
    const users = await db.selectFrom('users').select(['id', 'quota', 'held']).execute();
    for (const { id, quota, held } of users) {
      const sum = await db
        .selectFrom('ledger')
        .where('user_id', '=', id)
        .select(({ fn }) => fn.sum<number | null>('credits').as('credits'))
        .executeTakeFirstOrThrow();
      expect(quota + held).toBe(sum.credits ?? 0);
    }
  }
});
