import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { type EmptyDatabase, newPostgres, newSqlite } from '#testing/databases.ts';
import { type Book, isHold } from './book.ts';
import { PendingSums, script } from './pending-sums.ts';

describe.skipIf(inject('postgresUrl') === '')('sums of batches on PostgreSQL', () => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storage: Storage;
  beforeAll(async () => {
    database = await newPostgres();
    storage = openStorage(database);
    const user = { password_hash: '', role: 1, status: 1, group: 'default', created_time: NOW };
    await storage.db
      .insertInto('users')
      .values([1, 2].map((id) => ({ ...user, id, username: `user-${id}` })))
      .execute();
    await storage.db.updateTable('users').set({ quota: 1_000_000 }).execute();
    await sql`insert into ledger (user_id, token_id, kind, credits, balance_after, reference, actor_id, remark, created_time)
      select id, null, 'opening', 1000000, 1000000, 'opening:' || id, id, '', ${NOW} from users`.execute(storage.db);
    await sql`insert into channels (id, type, name, status, base_url, other, models, "group", tag, priority, weight, model_mapping,
      model_headers, test_model, only_chat, pre_cost, created_time)
      values (7, 1, 'channel', 1, '', '', '', '', '', 0, 1, '', '', '', false, 1, ${NOW})`.execute(storage.db);
  });
  afterAll(async () => {
    await storage.close();
    await database.remove();
  });

  let calls = 0;
  /** A batch of one call. */
  async function call(book: Book, more: Parameters<typeof settlementOf>[2] = {}): Promise<void> {
    const hold = await book.reserve(callOf(`call-${++calls}`, { userId: 1 + (calls % 2), tokenId: 0 }, 100));
    if (!isHold(hold)) throw new Error(`refused: ${JSON.stringify(hold)}`);
    await book.settle(hold, settlementOf(hold.call.requestId, 100, { channelId: 7, ...more }));
    await book.caughtUp();
  }
  const pending = async (): Promise<number> =>
    (await storage.db.selectFrom('pending_sums').selectAll().execute()).length;
  const summed = async (): Promise<number> => {
    const { calls: found } = await storage.db
      .selectFrom('usage_by_user')
      .select(({ fn }) => fn.sum<number | null>('request_count').as('calls'))
      .executeTakeFirstOrThrow();
    return found ?? 0;
  };

  test('each call is counted once while nodes write batches and add up at the same time', async () => {
    const nodes = [bookOf(storage, folder), bookOf(storage, folder), bookOf(storage, folder)];
    const before = await summed();
    await Promise.all(
      nodes.map(async (book) => {
        const sums = new PendingSums(storage, console);
        for (let made = 0; made < 12; made++) {
          await call(book);
          if (made % 3 === 0) void sums.caughtUp();
        }
        await sums.caughtUp();
      }),
    );
    await new PendingSums(storage, console).caughtUp();
    expect([await pending(), await summed()]).toEqual([0, before + 36]);
    for (const book of nodes) await book.close();
    await expectBooksBalance(storage.db);
  });

  test('a batch that commits after later ones is not skipped', async () => {
    const book = bookOf(storage, folder);
    const before = await summed();
    const sums = new PendingSums(storage, console);
    await storage.db.transaction().execute(async (trx) => {
      // Its id is taken, and its row is not visible yet.
      const row = ['user_id', 'hour', 'model'].map((_, at) => [1, NOW - (NOW % 3600), 'gpt-4o'][at]!);
      await trx
        .insertInto('pending_sums')
        .values({ calls: 1, sums: JSON.stringify({ usage_by_user: [[...row, 1]], usage_by_token: [[...row, 0, 1]] }) })
        .execute();
      await call(book);
      await sums.caughtUp();
      expect([await pending(), await summed()]).toEqual([0, before + 1]);
    });
    expect(await pending()).toBe(1);
    await sums.caughtUp();
    expect([await pending(), await summed()]).toEqual([0, before + 2]);
    await sql`update usage_by_user set request_count = request_count - 1 where user_id = 1`.execute(storage.db);
    await sql`update usage_by_token set request_count = request_count - 1 where user_id = 1`.execute(storage.db);
    await book.close();
  });

  test('what a process has added when it is killed is added once', async () => {
    const book = bookOf(storage, folder);
    const before = await summed();
    await call(book);
    const { last } = await storage.db
      .selectFrom('pending_sums')
      .select(({ fn }) => fn.max('id').as('last'))
      .executeTakeFirstOrThrow();
    const killed = storage.prepare<{ upTo: number }, boolean>({
      ...script,
      run: async (...given) => {
        await script.run(...given);
        throw new Error('killed');
      },
    });
    await expect(killed({ upTo: last })).rejects.toThrow('killed');
    expect([await pending(), await summed()]).toEqual([1, before]);
    await new PendingSums(storage, console).caughtUp();
    expect([await pending(), await summed()]).toEqual([0, before + 1]);
    await book.close();
  });

  test('an error with characters that PostgreSQL cannot read stops no sums', async () => {
    const book = bookOf(storage, folder);
    await call(book, { failed: true, channelError: 'a\0b \ud800 \u0001 "c"' });
    await new PendingSums(storage, console).caughtUp();
    const { last_error: error } = await storage.db
      .selectFrom('channels')
      .select('last_error')
      .executeTakeFirstOrThrow();
    expect([await pending(), error]).toEqual([0, 'ab \ufffd \u0001 "c"']);
    await book.close();
  });

  test('an error that was written to a channel at once is not replaced by an earlier one', async () => {
    const book = bookOf(storage, folder);
    const sums = new PendingSums(storage, console);
    const state = async () =>
      storage.db
        .selectFrom('channels')
        .where('id', '=', 7)
        .select(['last_error', 'last_error_time'])
        .executeTakeFirstOrThrow();
    await call(book, { failed: true, channelError: 'HTTP 500', now: NOW + 10 });
    await storage.db
      .updateTable('channels')
      .set({ last_error: 'disabled', last_error_time: NOW + 20 })
      .execute();
    await sums.caughtUp();
    expect(await state()).toEqual({ last_error: 'disabled', last_error_time: NOW + 20 });
    await call(book, { now: NOW + 30 });
    await sums.caughtUp();
    expect(await state()).toEqual({ last_error: '', last_error_time: NOW + 20 });
    await book.close();
  });
});

test('sums that a database brings from PostgreSQL are added up on SQLite', async () => {
  const database = await newSqlite();
  const { db, ...storage } = openStorage(database);
  try {
    const hour = NOW - (NOW % 3600);
    const row = (calls: number, cost: number) => ({
      calls,
      created_time: 1,
      sums: JSON.stringify({
        usage_by_user: [[1, hour, 'a "model"', calls, 0, cost]],
        failures: [[hour, 1, 0, 0, 'm', 'other', 1]],
      }),
    });
    await db
      .insertInto('pending_sums')
      .values([row(2, 30), row(3, 12)])
      .execute();
    await new PendingSums({ db, ...storage }, console).addOld();
    expect(
      await db.selectFrom('usage_by_user').select(['model_name', 'request_count', 'quota', 'cache_saved']).execute(),
    ).toEqual([{ model_name: 'a "model"', request_count: 5, quota: 42, cache_saved: 0 }]);
    expect(await db.selectFrom('failures').select('calls').execute()).toEqual([{ calls: 2 }]);
    expect(await db.selectFrom('pending_sums').selectAll().execute()).toEqual([]);
  } finally {
    await storage.close();
    await database.remove();
  }
});
