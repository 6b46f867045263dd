import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import { type Book, type Hold, isHold } from './book.ts';
import { Journal, nodesWithJournals, readJournal } from './journal.ts';
import type { BatchRunner, SettleItem } from './batch-items.ts';
import { script as bookScript } from './book-statements.ts';
import { post } from './ledger.ts';
import { replay } from './replay.ts';
import type { SubmittedTask } from './submitted-task.ts';

/** The hold of an admitted call. */
async function admitted(admission: ReturnType<Book['reserve']>): Promise<Hold> {
  const hold = await admission;
  if (!isHold(hold)) throw new Error(JSON.stringify(hold));
  return hold;
}

onEveryDatabase('book', (make) => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storage: Storage;
  let db: Kysely<Tables>;
  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
    db = storage.db;
  });
  afterAll(async () => {
    await storage?.close();
    await database?.remove();
  });

  let made = 0;
  /** A user with credits, and a token that is limited when `remain` says to what. */
  async function caller(
    quota: number,
    remain?: number,
  ): Promise<{ userId: number; tokenId: number; limited: boolean }> {
    const name = `user-${++made}`;
    const userId = await db.transaction().execute(async (trx) => {
      const values = { username: name, password_hash: '', role: 1, status: 1, group: 'default', created_time: NOW };
      const { id } = await trx.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow();
      await post(trx, {
        user_id: id,
        kind: 'gift',
        credits: quota,
        reference: `gift:${id}`,
        actor_id: id,
        remark: '',
        created_time: NOW,
      });
      return id;
    });
    const { id: tokenId } = await db
      .insertInto('tokens')
      .values({
        user_id: userId,
        name,
        key_hash: name,
        key_cipher: '',
        key_hint: '',
        status: 1,
        created_time: NOW,
        expired_time: -1,
        remain_quota: remain ?? 0,
        unlimited_quota: remain === undefined,
        group: '',
        enable_cache: false,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { userId, tokenId, limited: remain !== undefined };
  }
  const userOf = ({ userId }: { userId: number }) =>
    db
      .selectFrom('users')
      .where('id', '=', userId)
      .select(['quota', 'held', 'used_quota', 'request_count'])
      .executeTakeFirstOrThrow();
  const tokenOf = ({ tokenId }: { tokenId: number }) =>
    db
      .selectFrom('tokens')
      .where('id', '=', tokenId)
      .select(['remain_quota', 'held', 'used_quota'])
      .executeTakeFirstOrThrow();
  let ids = 0;
  const newId = () => `request-${made}-${++ids}`;

  const leases = () => db.selectFrom('leases').selectAll().execute();

  /** Settles, and waits until it is in the books. */
  async function settled(book: Book, hold: Hold, credits: number, more = {}): Promise<void> {
    void book.settle(hold, settlementOf(hold.call.requestId, credits, more));
    await book.caughtUp();
  }

  test('a reservation is off the balance, a settlement takes the cost, and nothing else is gone in the end', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(1000, 600);
    const hold = await admitted(book.reserve(callOf(newId(), who, 400)));
    expect(await userOf(who)).toMatchObject({ quota: 600, held: 400, used_quota: 0 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 200, held: 400 });
    await expectBooksBalance(db);
    await settled(book, hold, 150);
    expect(await userOf(who)).toMatchObject({ quota: 850, held: 0, used_quota: 150, request_count: 1 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 450, held: 0, used_quota: 150 });
    await expectBooksBalance(db);
    expect(await book.close()).toBe(true);
  });

  test('with a large balance, calls are admitted from a lease without a query, and idle leases are returned', async () => {
    let asked = 0;
    const run: BatchRunner = (batch) => {
      asked += batch.items.filter(({ kind }) => kind === 'grant').length;
      return storage.prepare(bookScript)(batch);
    };
    const book = bookOf(storage, folder, undefined, run);
    const who = await caller(1_000_000, 500_000);
    await settled(book, await admitted(book.reserve(callOf(newId(), who, 100))), 60);
    const { held } = await userOf(who);
    expect(held).toBe(100 * 64 - 60);
    for (let i = 0; i < 30; i++) {
      const hold = await admitted(book.reserve(callOf(newId(), who, 100)));
      await book.settle(hold, settlementOf(hold.call.requestId, 60));
    }
    expect(asked).toBe(1);
    await book.caughtUp();
    await expectBooksBalance(db);
    expect(await book.close()).toBe(true);
    expect(await userOf(who)).toMatchObject({ quota: 1_000_000 - 31 * 60, held: 0, request_count: 31 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 500_000 - 31 * 60, held: 0 });
    expect(await leases()).toEqual([]);
    expect(readJournal(folder, 'node-2').files).toEqual([]);
    await expectBooksBalance(db);
  });

  test('a settlement that could not be journaled is charged along with later ones that could', async () => {
    const who = await caller(1000);
    const journal = new Journal(folder, 'order');
    const item = (seq: number): SettleItem => {
      const covers = { user: { take: 0, back: 0 }, token: null };
      return { kind: 'settle', seq, userId: who.userId, tokenId: who.tokenId, ...covers, ...settlementOf(newId(), 10) };
    };
    const { segment, from, to } = ((line) => (journal.write(), line))(journal.settle(item(2)));
    await storage.prepare(bookScript)({ node: 'order', items: [item(1)], lines: [{ fd: segment!.fd, from, to }] });
    expect(await userOf(who)).toMatchObject({ quota: 980, request_count: 2 });
    journal.close();
  });

  test('of many concurrent calls on a small balance, as many are admitted as it covers', async () => {
    const book = bookOf(storage, folder);
    for (const who of [await caller(1000), await caller(50_000, 1000), await caller(1000, 50_000)]) {
      const asked = await Promise.all(Array.from({ length: 200 }, async () => book.reserve(callOf(newId(), who, 100))));
      const holds = asked.filter(isHold);
      expect(holds).toHaveLength(10);
      for (const hold of holds) void book.settle(hold, settlementOf(hold.call.requestId, 100));
      await book.caughtUp();
      expect(await book.reserve(callOf(newId(), who, 1))).toMatch(/quota/);
      await expectBooksBalance(db);
    }
    expect(await book.close()).toBe(true);
  });

  test('two nodes spend one balance to the last credit, and never more', async () => {
    const other = openStorage(database);
    try {
      const books = [bookOf(storage, folder), bookOf(other, folder)];
      const who = await caller(40_000, 30_000);
      const spent = await Promise.all(
        Array.from({ length: 500 }, async (_, i): Promise<number> => {
          const book = books[i % 2]!;
          await new Promise((resolve) => setTimeout(resolve, (i * 13) % 400));
          const hold = await book.reserve(callOf(newId(), who, 100));
          if (!isHold(hold)) return 0;
          await new Promise((resolve) => setTimeout(resolve, i % 40));
          void book.settle(hold, settlementOf(hold.call.requestId, 100));
          return 100;
        }),
      );
      for (const book of books) await book.caughtUp();
      let total = spent.reduce((sum, one) => sum + one, 0);
      // On a slow machine the remaining credits may be idle at the other node for a while: a later call gets them.
      let tries = 0;
      const again = async (): Promise<number> => {
        const book = books[tries++ % 2]!;
        const hold = await book.reserve(callOf(newId(), who, 100));
        if (!isHold(hold)) return total;
        void book.settle(hold, settlementOf(hold.call.requestId, 100));
        return (total += 100);
      };
      if (total < 30_000) await expect.poll(again, { timeout: 15_000, message: 'credits spent' }).toBe(30_000);
      expect(total).toBe(30_000);
      for (const book of books) expect(await book.reserve(callOf(newId(), who, 1))).toBe('token_quota');
      await expectBooksBalance(db);
      for (const book of books) expect(await book.close()).toBe(true);
      expect(await userOf(who)).toMatchObject({ quota: 10_000, held: 0 });
      expect(await tokenOf(who)).toMatchObject({ remain_quota: 0, held: 0 });
    } finally {
      await other.close();
    }
  });

  test('a call is settled once, also when settled again', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(1000);
    const hold = await admitted(book.reserve(callOf(newId(), who, 100)));
    for (let i = 0; i < 20; i++) void book.settle(hold, settlementOf(hold.call.requestId, 60));
    await book.caughtUp();
    expect(await userOf(who)).toMatchObject({ quota: 940, held: 0, used_quota: 60, request_count: 1 });
    await expectBooksBalance(db);
    await book.close();
  });

  test('a cost beyond the reservation is charged down to zero, and the shortfall is recorded', async () => {
    const book = bookOf(storage, folder);
    const [rich, poor, limited] = [await caller(1000), await caller(130), await caller(1000, 120)];
    for (const [who, charged, left] of [
      [rich, 500, 500],
      [poor, 130, 0],
      [limited, 500, 500],
    ] as const) {
      const hold = await admitted(book.reserve(callOf(newId(), who, 100)));
      await settled(book, hold, 500);
      expect(await userOf(who)).toMatchObject({ quota: left, held: 0 });
      const row = await db
        .selectFrom('logs')
        .where('request_id', '=', hold.call.requestId)
        .select(['quota', 'metadata'])
        .executeTakeFirstOrThrow();
      const shortfall = 500 - charged;
      expect(row).toEqual({ quota: charged, metadata: { outcome: 'answered', ...(shortfall > 0 && { shortfall }) } });
      const uncollected = await db
        .selectFrom('shortfalls')
        .where('request_id', '=', hold.call.requestId)
        .select(['user_id', 'credits'])
        .execute();
      expect(uncollected).toEqual(shortfall > 0 ? [{ user_id: who.userId, credits: shortfall }] : []);
    }
    // A low quota of the key does not reduce the charge.
    expect(await tokenOf(limited)).toEqual({ remain_quota: 0, held: 0, used_quota: 500 });
    await expectBooksBalance(db);
    await book.close();
  });

  test('a running call extends its reservation while credits last, and returns what it does not cost', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(1000, 700);
    const hold = await admitted(book.reserve(callOf('extended', who, 300)));
    expect(await book.extend(hold, 300)).toBeUndefined();
    expect(await book.extend(hold, 200)).toBe('token_quota');
    expect(await book.extend(hold, 100)).toBeUndefined();
    expect(await book.reserve(callOf('other', who, 1))).toBe('token_quota');
    await book.settle(hold, settlementOf('extended', 650));
    // Credits that arrive after the end of the call are released.
    await book.extend(hold, 40);
    await book.close();
    const user = await db.selectFrom('users').where('id', '=', who.userId).selectAll().executeTakeFirstOrThrow();
    const token = await db.selectFrom('tokens').where('id', '=', who.tokenId).selectAll().executeTakeFirstOrThrow();
    expect([user.quota, user.held, token.remain_quota, token.held]).toEqual([350, 0, 50, 0]);
    await expectBooksBalance(db);
  });

  test('a refusal for insufficient token quota leaves the user’s balance unchanged', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(1000, 50);
    expect(await book.reserve(callOf(newId(), who, 51))).toBe('token_quota');
    expect(await book.reserve(callOf(newId(), who, 1001))).toBe('user_quota');
    expect(await userOf(who)).toMatchObject({ quota: 1000, held: 0 });
    await book.close();
  });

  test('a free call is admitted without credits, and costs none', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(0, 0);
    await settled(book, await admitted(book.reserve(callOf(newId(), who, 0))), 0);
    expect(await userOf(who)).toMatchObject({ quota: 0, held: 0, request_count: 1 });
    await expectBooksBalance(db);
    await book.close();
  });

  test('calls of one model in one batch are each counted once, for the user and for the channel', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(100_000);
    for (let i = 0; i < 30; i++) {
      const hold = await admitted(book.reserve(callOf(newId(), who, 100)));
      void book.settle(hold, settlementOf(hold.call.requestId, 100, { channelId: 77 }));
    }
    await book.caughtUp();
    await expectBooksBalance(db);
    const sums = {
      request_count: 30,
      failed_count: 0,
      quota: 3000,
      prompt_tokens: 30,
      completion_tokens: 60,
      cached_tokens: 0,
      request_time: 90,
    };
    const byUser = db.selectFrom('usage_by_user').where('user_id', '=', who.userId);
    expect(await byUser.selectAll().executeTakeFirst()).toMatchObject(sums);
    const byChannel = db.selectFrom('usage_by_channel').where('channel_id', '=', 77);
    expect(await byChannel.selectAll().executeTakeFirst()).toMatchObject(sums);
    await book.close();
  });

  test('counts beyond 32 bits stay exact', async () => {
    const book = bookOf(storage, folder);
    const who = await caller(9_000_000_000_000_000);
    await settled(
      book,
      await admitted(book.reserve(callOf(newId(), who, 8_999_999_999_999_999))),
      4_999_999_999_999_999,
    );
    expect(await userOf(who)).toMatchObject({ quota: 4_000_000_000_000_001, used_quota: 4_999_999_999_999_999 });
    expect(await book.reserve(callOf(newId(), who, Number.MAX_SAFE_INTEGER))).toBe('user_quota');
    await book.close();
  });

  test('a node that dies after its first lease and before its first call leaves a journal, which returns the lease', async () => {
    // The database commits the lease, and the node is killed before the reply.
    const run: BatchRunner = async (batch) => {
      await storage.prepare(bookScript)(batch);
      throw new Error('killed');
    };
    const who = await caller(100_000);
    const book = bookOf(storage, folder, 'early', run);
    await expect(book.reserve(callOf(newId(), who, 100))).rejects.toThrow('killed');
    expect((await userOf(who)).held).toBeGreaterThan(0);
    expect(nodesWithJournals(folder)).toContain('early');
    const deps = { db, run: storage.prepare(bookScript), folder, now: () => NOW };
    expect(await replay(deps, 'early')).toEqual({ settled: 0, released: 0, refused: 0 });
    expect(await userOf(who)).toMatchObject({ quota: 100_000, held: 0 });
    expect(nodesWithJournals(folder)).not.toContain('early');
    await expectBooksBalance(db);
  });

  test('a dead node’s settlements are charged once, its open calls released once, its leases returned', async () => {
    // A node whose database is gone before anything but its leases is written, as when it is killed.
    let dead = false;
    const run: BatchRunner = (batch) =>
      dead ? Promise.reject(new Error('killed')) : storage.prepare(bookScript)(batch);
    const book = bookOf(storage, folder, 'doomed', run);
    const who = await caller(100_000, 90_000);
    const holds: Hold[] = [];
    for (let i = 0; i < 5; i++) holds.push(await admitted(book.reserve(callOf(newId(), who, 100))));
    dead = true;
    for (const hold of holds.slice(0, 3)) void book.settle(hold, settlementOf(hold.call.requestId, 70));
    await book.caughtUp();
    expect((await userOf(who)).held).toBeGreaterThan(0);
    expect(await userOf(who)).toMatchObject({ used_quota: 0, request_count: 0 });
    await expectBooksBalance(db);

    const needs = { db, run: storage.prepare(bookScript), folder, now: () => NOW };
    const twice = await Promise.all([replay(needs, 'doomed'), replay(needs, 'doomed')]);
    expect(twice).toContainEqual({ settled: 3, released: 2, refused: 0 });
    await replay(needs, 'doomed');
    expect(await userOf(who)).toMatchObject({ quota: 100_000 - 210, held: 0, used_quota: 210, request_count: 5 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 90_000 - 210, held: 0 });
    expect(readJournal(folder, 'doomed').files).toEqual([]);
    await expectBooksBalance(db);

    // Taken for dead by mistake, it goes on: its settlements from now on count.
    dead = false;
    void book.settle(holds[3]!, settlementOf(holds[3]!.call.requestId, 50));
    await expect
      .poll(() => userOf(who), { message: 'the account' })
      .toMatchObject({ used_quota: 260, request_count: 5 });
    await book.close();
    expect(await userOf(who)).toMatchObject({ quota: 100_000 - 260, held: 0 });
  });

  test('a task is written with its charge, also from a dead node’s journal, and never under another task’s id', async () => {
    let dead = false;
    const run: BatchRunner = (batch) =>
      dead ? Promise.reject(new Error('killed')) : storage.prepare(bookScript)(batch);
    const book = bookOf(storage, folder, 'killed', run);
    const who = await caller(100_000, 90_000);
    const taskOf = (taskId: string, upstreamId: string): SubmittedTask => ({
      taskId,
      confirms: false,
      platform: 'midjourney',
      action: 'IMAGINE',
      mode: 'fast',
      code: 1,
      status: 'SUBMITTED',
      progress: 0,
      submitMs: NOW * 1000,
      prompt: 'a "cat"\n',
      description: '',
      state: '',
      properties: '{}',
      keyId: 0,
      channelType: 34,
      baseUrl: 'http://127.0.0.1',
      upstreamId,
      upstreamModel: '',
      vendor: '{}',
      media: '[]',
      request: '{}',
      requestKey: '',
      parentTaskId: '',
      notifyHook: '',
      nextPollAt: NOW + 5,
      deadline: NOW + 3600,
      cancellable: false,
    });
    const holds: Hold[] = [];
    for (let i = 0; i < 2; i++) holds.push(await admitted(book.reserve(callOf(newId(), who, 100))));
    dead = true;
    for (const [n, hold] of holds.entries())
      void book.settle(
        hold,
        settlementOf(hold.call.requestId, 70, { channelId: 7, task: taskOf(`task-${n}`, 'same') }),
      );
    await book.caughtUp();
    expect(await db.selectFrom('tasks').selectAll().execute()).toEqual([]);

    const needs = { db, run: storage.prepare(bookScript), folder, now: () => NOW };
    await Promise.all([replay(needs, 'killed'), replay(needs, 'killed')]);
    const tasks = await db.selectFrom('tasks').selectAll().orderBy('task_id').execute();
    const charged = { quota: 70, token_quota: 70, user_id: who.userId, prompt: 'a "cat"\n', refunded: false };
    expect(tasks).toMatchObject([
      { ...charged, task_id: 'task-0', status: 'SUBMITTED', upstream_id: 'same', next_poll_at: NOW + 5 },
      { ...charged, task_id: 'task-1', status: 'UNKNOWN', upstream_id: '', deadline: NOW },
    ]);
    await expectBooksBalance(db);
    dead = false;
    await book.close();
  });
});
