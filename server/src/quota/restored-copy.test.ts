import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { isHold } from './book.ts';
import { script as bookScript } from './book-statements.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { replay } from './replay.ts';

const folder = folderForSuite();

test('a restored backup with a newer journal: settlements missing in the backup are charged once', async () => {
  const database = await newSqlite();
  const file = path.join(database.dataDir, 'relay-hub.db');
  const copy = path.join(database.dataDir, 'copy.db');
  let storage = openStorage(database);
  try {
    const who = await addCaller(storage.db, { quota: 1_000_000 });
    const book = bookOf(storage, folder, 'before');
    const begin = async (id: string) => {
      const hold = await book.reserve(callOf(id, who, 100));
      if (!isHold(hold)) throw new Error('refused');
      return hold;
    };
    const [in1, in2, later] = [await begin('in-1'), await begin('in-2'), await begin('later-1')];
    await book.settle(in1, settlementOf('in-1', 10));
    await book.settle(in2, settlementOf('in-2', 10));
    await book.caughtUp();
    await sql`vacuum into ${sql.lit(copy)}`.execute(storage.db);
    await book.settle(later, settlementOf('later-1', 10));
    await book.settle(await begin('later-2'), settlementOf('later-2', 10));
    await begin('open');
    await book.caughtUp();
    expect(book.waiting).toBe(0);
    // The process ends here, without a word.
    await storage.close();
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    renameSync(copy, file);
    storage = openStorage(database);
    const { db } = storage;
    expect((await rowsOf(db, who)).map((row) => row.request_id)).toEqual(['in-1', 'in-2']);
    for (let times = 0; times < 2; times++)
      await replay({ db, run: storage.prepare(bookScript), folder, now: () => NOW }, 'before');
    expect((await rowsOf(db, who)).map((row) => [row.request_id, row.quota])).toEqual([
      ['in-1', 10],
      ['in-2', 10],
      ['later-1', 10],
      ['later-2', 10],
      ['open', 0],
    ]);
    expect(await userOf(db, who)).toMatchObject({ balance: 999_960, used_quota: 40 });
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    await expectBooksBalance(db);
  } finally {
    await storage.close();
    await database.remove();
  }
});
