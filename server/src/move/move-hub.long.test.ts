import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { tokenApi } from '@relay-hub/contract';
import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { lockFolder } from '#start/folder-lock.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { chat } from '#testing/chat.ts';
import { emptyPostgres, newSqlite } from '#testing/databases.ts';
import { addChannel, addToken, startHub, type TestHub, upstreamForSuite } from '#testing/hub.ts';
import { addAccount } from '#testing/people.ts';
import { MoveError } from './move-error.ts';
import { type MoveOptions, moveHub, type Place, takeBack } from './move-hub.ts';
import { shapesOf } from './table-shapes.ts';

const PAGE_ROWS = 7;
/** Written by every start, or by the move. */
const own = /^(?:nodes|backups|incidents|journals)$/;

/** All rows of all tables, as texts in an order that does not depend on the database. */
async function contentOf(place: Place): Promise<Record<string, string[]>> {
  const storage = openStorage(place);
  try {
    const content: Record<string, string[]> = {};
    for (const { name, columns } of (await shapesOf(storage.db)).values()) {
      if (own.test(name)) continue;
      const texts = Object.entries(columns).map(([column, kind]) =>
        kind === 'json' ? `cast(${column} as text) as ${column}` : column,
      );
      const { rows } = await sql<object>`select ${sql.raw(texts.join(', '))} from ${sql.table(name)}`.execute(
        storage.db,
      );
      content[name] = rows.map((row) => JSON.stringify(row)).toSorted();
    }
    // The mark of a move belongs to one database.
    content['options'] = content['options']!.filter((row) => !row.includes('"moved"'));
    return content;
  } finally {
    await storage.close();
  }
}

async function move(from: Place, to: Place, more: Partial<MoveOptions> = {}) {
  const storage = openStorage(from);
  try {
    return await moveHub(storage, from, to, { books: true, tell: () => {}, pageRows: PAGE_ROWS, ...more });
  } finally {
    await storage.close();
  }
}

describe.skipIf(inject('postgresUrl') === '')('a move from SQLite to PostgreSQL and back', () => {
  const upstream = upstreamForSuite();

  test('survives interruptions, loses nothing, and leaves one database that can be started', async () => {
    const [old, target] = [await newSqlite(), await emptyPostgres()];
    /** The same folder, whose files stay. */
    const next = { ...old, databaseUrl: target.databaseUrl };
    const calls = async (hub: TestHub, key: string, count: number): Promise<void> => {
      for (let made = 0; made < count; made++) expect((await chat(hub, key)).status).toBe(200);
    };
    let hub = await startHub(old);
    let lock = lockFolder(old.dataDir);
    await addChannel(hub, upstream().url);
    const { key, id: tokenId } = await addToken(hub, { note: 'é 😀 "quoted" \\ {braces}, NULL' });
    const { id: gone } = await addToken(hub);
    await calls(hub, key, 7);
    const { db } = hub.server.deps;
    // Texts that databases order differently, an ancestor with a later id, JSON that is not in its shortest form.
    for (const name of ['Z', 'a', 'É', '😀', 'b', '_', 'A'])
      await db.insertInto('throttles').values({ name, count: 1, ends_ms: 1 }).execute();
    for (const username of ['first', 'second']) await addAccount(hub, { username, quota: 5 });
    const inviter = db.selectFrom('users').where('username', '=', 'second').select('id');
    await db.updateTable('users').set({ inviter_id: inviter }).where('username', '=', 'first').execute();
    await db
      .updateTable('tokens')
      .set({ metadata: '{ "a": 1.0,  "b": "\\u00e9" }' })
      .where('id', '=', tokenId)
      .execute();
    const { cookie } = hub.root;

    const breakAt = (table: string) => ({
      onPage(name: string) {
        if (name === table) throw new MoveError('broken off');
      },
    });
    await expect(move(old, next, breakAt('logs'))).rejects.toThrow('broken off');
    await expect(startHub({ ...next, dataDir: target.dataDir })).rejects.toThrow('an incomplete copy of');
    await calls(hub, key, 1);

    let hasEnded = false;
    const told: string[] = [];
    const secondRun = move(old, next, {
      tell: (line) => told.push(line),
      onServing() {
        hasEnded = true;
      },
      onPage(table) {
        if (hasEnded && table === 'tokens') throw new MoveError('broken off again');
      },
    });
    await expect.poll(() => hasEnded, { message: 'the move waits for the server' }).toBe(true);
    expect(told.at(-1)).toContain('Stop the server now');
    await calls(hub, key, 4);
    // Names change hands, and rows change without their sums.
    const renamed = async (from: string, to: string) =>
      void (await db
        .updateTable('users')
        .set({ username: to, username_shape: to })
        .where('username', '=', from)
        .execute());
    await renamed('first', 'third');
    await renamed('second', 'first');
    await renamed('third', 'second');
    await db.deleteFrom('throttles').where('name', '=', 'a').execute();
    await db.deleteFrom('tokens').where('id', '=', gone).execute();
    await hub.close();
    lock.release();
    await expect(secondRun).rejects.toThrow('broken off again');
    await expect(startHub(old)).rejects.toThrow(/is being moved to postgres:.*--take-back/s);
    await expect(startHub(next)).rejects.toThrow('an incomplete copy of');

    const storage = openStorage(old);
    expect(await takeBack(storage)).toContain('postgres://');
    await storage.close();
    hub = await startHub(old);
    await calls(hub, key, 2);
    await hub.close();

    const { books } = await move(old, next);
    expect(books).toMatchObject({ before: { balanced: true, rows: 14 }, after: { balanced: true, rows: 14 } });
    expect(await contentOf(next)).toEqual(await contentOf(old));
    await expect(startHub(old)).rejects.toThrow(/was moved to postgres:.*--take-back/s);

    hub = await startHub(next);
    await calls(hub, key, 1);
    hub.root.cookie = cookie;
    expect(await hub.root.call(tokenApi.reveal, { params: { id: tokenId } })).toEqual({ key });
    // The id of a deleted token is not given again.
    expect((await addToken(hub)).id).toBe(gone + 1);
    await expectBooksBalance(hub.server.deps.db);
    await hub.close();

    await move(next, old);
    expect(readdirSync(old.dataDir).filter((name) => /\.moved-\w+$/.test(name))).toHaveLength(1);
    expect(await contentOf(old)).toEqual(await contentOf(next));
    await expect(startHub(next)).rejects.toThrow(/was moved to .*relay-hub\.db/);
    hub = await startHub(old);
    lock = lockFolder(old.dataDir);
    await calls(hub, key, 1);
    expect((await addToken(hub)).id).toBe(gone + 2);
    await expectBooksBalance(hub.server.deps.db);
    await hub.close();
    lock.release();
    await target.remove();
    await old.remove();
  }, 60_000);

  test('goes into another folder with the key and the stored files, and never into a used database', async () => {
    const [old, elsewhere, used] = [await newSqlite(), await newSqlite(), await newSqlite()];
    const hub = await startHub(old);
    await hub.close();
    const other = await startHub(used);
    await other.close();
    await expect(move(old, used)).rejects.toThrow('is not empty');
    await expect(move(old, old)).rejects.toThrow('in this folder already');
    const folder = { dataDir: path.join(elsewhere.dataDir, 'moved'), databaseUrl: undefined };
    await move(old, folder);
    for (const name of ['secret.key', 'database.id', 'relay-hub.db'])
      expect(existsSync(path.join(folder.dataDir, name))).toBe(true);
    await (await startHub({ ...folder, remove: elsewhere.remove })).close();
    await Promise.all([old.remove(), elsewhere.remove(), used.remove()]);
  });
});
