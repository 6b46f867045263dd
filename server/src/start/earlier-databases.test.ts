import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { logApi, redemptionApi, siteApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { emptySqlite } from '#testing/databases.ts';
import { startHub, upstreamForSuite } from '#testing/hub.ts';
import { hello, post } from '#testing/relay-calls.ts';

/** Written by the programs of these days: a channel, a token, three calls of root; from the second on a user and codes. */
const earlier = [
  { name: '2026-11-20-first-path', key: 'sk-Iul0jHPRaAL89eLgLF3JZSygkMglmXlDfY1p84CodUeZkePB', codes: 0, users: 1 },
  { name: '2026-11-20-accounts', key: 'sk-5f0B4Oz7suIQgywqJqzohReZJFJsqzkVWyKJ0ss4AsahmL3M', codes: 2, users: 2 },
  { name: '2026-11-24-payments', key: 'sk-CEnQ8mxb6rAR8Dje6z40w3ScXxPimIg5EXRv9EseIcHJ1yJu', codes: 2, users: 2 },
];
const SECRET_KEY = 'a-data-key-of-an-earlier-version-0001';
const left = 99_999_730;

const upstream = upstreamForSuite();

test.each(earlier)(
  'a database of $name keeps its accounts, keys, balances and logs',
  async ({ name, key, codes, users }) => {
    const database = await emptySqlite();
    const file = path.join(import.meta.dirname, `../../../testing/earlier-databases/${name}.sql`);
    const present = path.join(database.dataDir, 'relay-hub.db');
    rmSync(present, { force: true });
    const opened = new DatabaseSync(present, { enableForeignKeyConstraints: false });
    opened.exec(readFileSync(file, 'utf8'));
    opened.prepare('update channels set base_url = ?').run(upstream().url);
    opened.close();
    // Signs in as root with the password of then.
    const hub = await startHub(database, { SECRET_KEY });
    try {
      const { db } = hub.server.deps;
      const rootNow = () => db.selectFrom('users').selectAll().where('username', '=', 'root').executeTakeFirstOrThrow();
      expect(await rootNow()).toMatchObject({ quota: left, used_quota: 270, request_count: 3 });
      expect(await db.selectFrom('users').select('id').execute()).toHaveLength(users);
      expect((await hub.root.call(siteApi.status)).system_name).toBe('An earlier hub');
      expect((await hub.root.call(logApi.list, { query: {} })).data).toHaveLength(3);
      expect((await hub.root.call(redemptionApi.list, { query: {} })).data).toHaveLength(codes);
      await expectBooksBalance(db);

      expect((await post(hub, key, { ...hello, model: 'gpt-4o-mini' })).status).toBe(200);
      // The key of then was decrypted.
      expect(upstream().requests.at(-1)!.headers['authorization']).toBe('Bearer sk-upstream-key-0001');
      await expect.poll(async () => (await rootNow()).request_count, { message: 'calls in the books' }).toBe(4);
      expect((await rootNow()).quota).toBeLessThan(left);
      await expectBooksBalance(db);
    } finally {
      await hub.close();
      await database.remove();
    }
  },
);
