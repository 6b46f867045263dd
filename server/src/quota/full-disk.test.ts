import { existsSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { isHold } from './book.ts';
import type { BatchRunner } from './batch-items.ts';
import { script as bookScript } from './book-statements.ts';
import { bookOf, callOf, folderForSuite, settlementOf } from '#testing/book-items.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';

const folder = folderForSuite();

test('while the disk is full, settlements wait, and none is set aside as refused', async () => {
  const database = await newSqlite();
  const storage = openStorage(database);
  const { db } = storage;
  try {
    const who = await addCaller(db);
    let failed = 0;
    const prepared = storage.prepare(bookScript);
    const run: BatchRunner = (batch) =>
      prepared(batch).catch((error: unknown) => {
        failed++;
        throw error;
      });
    const book = bookOf(storage, folder, undefined, run);
    const hold = await book.reserve(callOf('waits', who, 100));
    if (!isHold(hold)) throw new Error('refused');
    // No page more than it has: what SQLite says then is what it says of a disk that is full.
    await sql.raw(`pragma max_page_count = 1`).execute(db);
    const wide = 'x'.repeat(200_000);
    await book.settle(
      hold,
      settlementOf('waits', 10, { channelError: '', log: { ...settlementOf('', 0).log, content: wide } }),
    );
    await expect.poll(() => failed, { timeout: 30_000, message: 'failed writes' }).toBeGreaterThan(4);
    expect(existsSync(path.join(folder, 'refused.jsonl'))).toBe(false);
    expect(book.waiting).toBe(1);
    await sql.raw(`pragma max_page_count = 1000000`).execute(db);
    await book.caughtUp();
    await expect
      .poll(() => rowsOf(db, who), { message: 'rows of the caller' })
      .toMatchObject([{ request_id: 'waits', quota: 10 }]);
    await book.close();
    await expectBooksBalance(db);
  } finally {
    await storage.close();
    await database.remove();
  }
}, 60_000);
