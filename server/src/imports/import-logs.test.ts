import path from 'node:path';
import { expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { emptySqlite, newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { type OldColumn, type OldTable, writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { newApi, oneApi } from '#testing/old-databases/old-worlds.ts';
import { runImport } from './run-import.ts';
import { openSource } from './sources/open-source.ts';

const hub = hubForSuite(newSqlite);

const columns: Record<string, OldColumn> = {
  id: 'id',
  user_id: 'int',
  created_at: 'int',
  type: 'int',
  content: 'text',
  username: 'text',
  token_name: 'text',
  model_name: 'text',
  quota: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  channel_id: 'int',
  is_stream: 'bool',
};
const call = {
  user_id: 2,
  created_at: 1_700_000_000,
  type: 2,
  content: 'text of the old program',
  username: 'alice',
  token_name: 'no such token',
  model_name: 'gpt-4o',
  quota: 11,
  prompt_tokens: 3,
  completion_tokens: 4,
  channel_id: 1,
  is_stream: false,
};

/** Imports a world with these calls; the rows here, by old id. */
async function imported(program: string, tables: OldTable[], logs: OldTable) {
  const { db, secrets, now, storage, config } = hub().server.deps;
  const place = await emptySqlite();
  const file = path.join(place.dataDir, 'old.db');
  writeOldSqlite(file, [...tables, logs]);
  const database = await openSource(file);
  try {
    const options = {
      source: '',
      apply: true,
      final: true,
      accessTokens: false,
      administrators: true,
      securitySettings: true,
      logs: true,
    };
    const { report } = await runImport(database, { db, secrets, now: now() }, options);
    const books = await checkBooks(storage, journalFolder(config.dataDir));
    expect(books.checks.filter(({ differing }) => differing > 0)).toEqual([]);
    const rows = await db
      .selectFrom('logs')
      .where('request_id', 'like', `import-${program}-%`)
      .selectAll()
      .orderBy('id')
      .execute();
    return { rows: new Map(rows.map((row) => [row.request_id.split('-').at(-1), row])), report };
  } finally {
    await database.close();
    await place.remove();
  }
}

test('of one-api: durations are milliseconds, and its channel tests stay behind', async () => {
  const { rows } = await imported('one-api', oneApi('http://127.0.0.1:1'), {
    name: 'logs',
    columns: { ...columns, elapsed_time: 'int' },
    rows: [
      { ...call, id: 1, elapsed_time: 1500 },
      { ...call, id: 2, type: 5, elapsed_time: 900 },
    ],
  });
  expect([...rows.keys()]).toEqual(['1']);
  expect(rows.get('1')).toMatchObject({ request_time: 1500, quota: 11, failed: false, token_id: 0, username: 'alice' });
});

test('of new-api: durations are seconds, errors are failed calls free of charge, the token is known by id', async () => {
  const { rows, report } = await imported('new-api', newApi('http://127.0.0.1:1'), {
    name: 'logs',
    columns: { ...columns, use_time: 'int', token_id: 'int', ip: 'text' },
    rows: [
      { ...call, id: 7, use_time: 3, token_id: 2, ip: '203.0.113.9' },
      { ...call, id: 8, type: 5, use_time: 1, token_id: 2, ip: '' },
      { ...call, id: 9, type: 6, use_time: 0, token_id: 2, ip: '' },
      { ...call, id: 10, user_id: 987, use_time: 0, token_id: 2, ip: '' },
      {
        ...call,
        id: 11,
        type: 6,
        created_at: hub().server.deps.now() - 86_400,
        model_name: 'only-called',
        use_time: 0,
        token_id: 2,
        ip: '',
      },
    ],
  });
  expect([...rows.keys()]).toEqual(['7', '8']);
  expect(rows.get('7')).toMatchObject({ request_time: 3000, quota: 11, source_ip: '203.0.113.9', failed: false });
  expect(rows.get('7')!.token_id).toBeGreaterThan(0);
  expect(rows.get('8')).toMatchObject({ quota: 0, failed: true });
  expect(report.counts.get('log')).toMatchObject({ added: 2, lost: 1 });
  expect(report.remarks.get('unpriced')?.examples).toContain('only-called (the log of the last 30 days)');
});
