import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import type { BatchItem, BatchResult, ReserveItem, SettleItem } from './book-statements.ts';
import { openBook } from './book.ts';
import { post } from './ledger.ts';

const NOW = 1_800_000_000;

const reserveOf = (requestId: string, userId: number, tokenId: number, credits: number): Omit<ReserveItem, 'kind'> => ({
  requestId,
  node: 'test',
  userId,
  tokenId,
  credits,
  priceVersion: 1,
  model: 'gpt-4o',
  now: NOW,
});

const settleOf = (
  requestId: string,
  userId: number,
  tokenId: number,
  credits: number,
  more: Partial<SettleItem> = {},
): Omit<SettleItem, 'kind'> => ({
  requestId,
  userId,
  tokenId,
  channelId: 0,
  credits,
  now: NOW,
  failed: false,
  channelError: '',
  log: {
    content: '',
    username: 'user',
    tokenName: 'token',
    model: 'gpt-4o',
    promptTokens: 1,
    completionTokens: 2,
    cachedTokens: 0,
    requestTimeMs: 3,
    isStream: false,
    sourceIp: '',
    metadata: '{"outcome":"answered"}',
  },
  ...more,
});

test('what comes in one turn is one batch, and each gets its own result', async () => {
  const batches: BatchItem[][] = [];
  const book = openBook(async (items) => {
    batches.push(items);
    return items.map((item): BatchResult =>
      item.kind === 'reserve' ? 'admitted' : { charged: item.credits, shortfall: 0 },
    );
  });
  const results = await Promise.all([
    book.reserve(reserveOf('a', 1, 1, 5)),
    book.settle(settleOf('b', 1, 1, 7)),
    book.reserve(reserveOf('c', 1, 1, 5)),
  ]);
  expect(results).toEqual(['admitted', { charged: 7, shortfall: 0 }, 'admitted']);
  expect(batches.map((items) => items.map((item) => item.requestId))).toEqual([['a', 'b', 'c']]);
});

test('while a batch is written the next one gathers, up to 512', async () => {
  const sizes: number[] = [];
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const book = openBook(async (items) => {
    sizes.push(items.length);
    if (sizes.length === 1) await opened;
    return items.map(() => 'admitted');
  });
  const first = book.reserve(reserveOf('first', 1, 1, 1));
  while (sizes.length === 0) await new Promise(setImmediate);
  const others = Array.from({ length: 1000 }, (_, i) => book.reserve(reserveOf(String(i), 1, 1, 1)));
  open();
  await Promise.all([first, ...others]);
  expect(sizes).toEqual([1, 512, 488]);
  await book.drained();
});

test('one bad item fails alone', async () => {
  const book = openBook(async (items) => {
    if (items.some((item) => item.requestId === 'bad')) throw new Error('no such column');
    return items.map(() => 'admitted');
  });
  const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map((id) => book.reserve(reserveOf(id, 1, 1, 1))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await book.reserve(reserveOf('d', 1, 1, 1))).toBe('admitted');
});

test('a settlement that cannot be written is kept and written later', async () => {
  let down = true;
  const written: BatchItem[] = [];
  const book = openBook(async (items) => {
    if (down) throw new Error('the database is away');
    written.push(...items);
    return items.map((): BatchResult => ({ charged: 1, shortfall: 0 }));
  }, 5);
  await expect(book.settle(settleOf('late', 1, 1, 1))).rejects.toThrow('away');
  await expect(book.reserve(reserveOf('refused', 1, 1, 1))).rejects.toThrow('away');
  down = false;
  await expect.poll(() => written.length).toBe(1);
  expect(written[0]).toMatchObject({ kind: 'settle', requestId: 'late' });
});

test('a stop tries what is late a last time', async () => {
  let down = true;
  const written: BatchItem[] = [];
  const book = openBook(async (items) => {
    if (down) throw new Error('the database is away');
    written.push(...items);
    return items.map((): BatchResult => ({ charged: 1, shortfall: 0 }));
  }, 60_000);
  await expect(book.settle(settleOf('late', 1, 1, 1))).rejects.toThrow('away');
  down = false;
  await book.drained();
  expect(written).toHaveLength(1);
});

onEveryDatabase('book', (make) => {
  let database: EmptyDatabase;
  let storage: Storage;
  let db: Kysely<Tables>;
  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
    db = storage.db;
    await migrate(db);
  });
  afterAll(async () => {
    await storage?.close();
    await database?.remove();
  });

  let made = 0;
  /** A user with credits, and a token that is limited when `remain` says to what. */
  async function caller(quota: number, remain?: number): Promise<{ userId: number; tokenId: number }> {
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
    return { userId, tokenId };
  }
  const userOf = ({ userId }: { userId: number }) =>
    db
      .selectFrom('users')
      .where('id', '=', userId)
      .select(['quota', 'held', 'used_quota', 'request_count'])
      .executeTakeFirstOrThrow();
  const tokenOf = ({ tokenId }: { tokenId: number }) =>
    db.selectFrom('tokens').where('id', '=', tokenId).select(['remain_quota', 'used_quota']).executeTakeFirstOrThrow();
  let ids = 0;
  const newId = () => `request-${made}-${++ids}`;

  test('a reservation holds, a settlement takes the cost and gives the rest back', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(1000, 600);
    const id = newId();
    expect(await book.reserve(reserveOf(id, who.userId, who.tokenId, 400))).toBe('admitted');
    expect(await userOf(who)).toMatchObject({ quota: 600, held: 400, used_quota: 0 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 200 });
    await expectBooksBalance(db);
    expect(await book.settle(settleOf(id, who.userId, who.tokenId, 150))).toEqual({ charged: 150, shortfall: 0 });
    expect(await userOf(who)).toMatchObject({ quota: 850, held: 0, used_quota: 150, request_count: 1 });
    expect(await tokenOf(who)).toMatchObject({ remain_quota: 450, used_quota: 150 });
    await expectBooksBalance(db);
  });

  test('a call is settled once, whoever tries again', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(1000);
    const id = newId();
    await book.reserve(reserveOf(id, who.userId, who.tokenId, 100));
    const results = await Promise.all(
      Array.from({ length: 20 }, () => book.settle(settleOf(id, who.userId, who.tokenId, 60))),
    );
    expect(results.filter(({ charged }) => charged === 60)).toHaveLength(1);
    expect(await book.settle(settleOf(id, who.userId, who.tokenId, 60))).toEqual({ charged: 0, shortfall: 0 });
    expect(await book.settle(settleOf('never-reserved', who.userId, who.tokenId, 60))).toEqual({
      charged: 0,
      shortfall: 0,
    });
    expect(await userOf(who)).toMatchObject({ quota: 940, held: 0, used_quota: 60, request_count: 1 });
    await expectBooksBalance(db);
  });

  test('a cost beyond the reservation takes what there is, down to zero, and tells the rest', async () => {
    const book = openBook(storage.runBook);
    const [rich, poor, limited] = [await caller(1000), await caller(130), await caller(1000, 120)];
    for (const [who, result, left] of [
      [rich, { charged: 500, shortfall: 0 }, 500],
      [poor, { charged: 130, shortfall: 370 }, 0],
      [limited, { charged: 120, shortfall: 380 }, 880],
    ] as const) {
      const id = newId();
      await book.reserve(reserveOf(id, who.userId, who.tokenId, 100));
      expect(await book.settle(settleOf(id, who.userId, who.tokenId, 500))).toEqual(result);
      expect(await userOf(who)).toMatchObject({ quota: left, held: 0 });
      const row = await db
        .selectFrom('logs')
        .where('request_id', '=', id)
        .select(['quota', 'metadata'])
        .executeTakeFirstOrThrow();
      expect(row).toEqual({
        quota: result.charged,
        metadata: { outcome: 'answered', ...(result.shortfall > 0 && { shortfall: result.shortfall }) },
      });
    }
    expect(await tokenOf(limited)).toEqual({ remain_quota: 0, used_quota: 120 });
    await expectBooksBalance(db);
  });

  test('a refusal for want of the token’s credits leaves the user’s as they were', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(1000, 50);
    expect(await book.reserve(reserveOf(newId(), who.userId, who.tokenId, 51))).toBe('token_quota');
    expect(await book.reserve(reserveOf(newId(), who.userId, who.tokenId, 1001))).toBe('user_quota');
    expect(await userOf(who)).toMatchObject({ quota: 1000, held: 0 });
    expect(await db.selectFrom('intents').where('user_id', '=', who.userId).select('request_id').execute()).toEqual([]);
  });

  test('a free call is admitted without credits, and costs none', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(0, 0);
    const id = newId();
    expect(await book.reserve(reserveOf(id, who.userId, who.tokenId, 0))).toBe('admitted');
    expect(await book.settle(settleOf(id, who.userId, who.tokenId, 0))).toEqual({ charged: 0, shortfall: 0 });
    expect(await userOf(who)).toMatchObject({ quota: 0, held: 0, request_count: 1 });
    await expectBooksBalance(db);
  });

  test('in one batch an id that stands twice fails alone, and takes nothing along', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(1000);
    const [one, two] = [newId(), newId()];
    const outcomes = await Promise.allSettled(
      [one, two, one].map((id) => book.reserve(reserveOf(id, who.userId, who.tokenId, 100))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await userOf(who)).toMatchObject({ quota: 800, held: 200 });
    await Promise.all([one, two].map((id) => book.settle(settleOf(id, who.userId, who.tokenId, 0))));
    await expectBooksBalance(db);
  });

  test('books of two nodes over the same users neither wait for each other for ever nor lose anything', async () => {
    const other = openStorage(database);
    try {
      const books = [openBook(storage.runBook), openBook(other.runBook)];
      const callers = await Promise.all([caller(10_000, 5000), caller(10_000), caller(10_000, 20), caller(7)]);
      const calls = Array.from({ length: 400 }, async (_, i) => {
        const book = books[i % 2]!;
        const who = callers[(i * 7) % 4]!;
        const id = `nodes-${made}-${i}`;
        if ((await book.reserve(reserveOf(id, who.userId, who.tokenId, 20))) !== 'admitted') return;
        await book.settle(settleOf(id, who.userId, who.tokenId, i % 40, { channelId: 1 + (i % 3) }));
      });
      await Promise.all(calls);
      await expectBooksBalance(db);
      expect(await userOf(callers[3])).toMatchObject({ quota: 7, held: 0, request_count: 0 });
    } finally {
      await other.close();
    }
  });

  test('calls of one model that end together are summed up once each, for the user and for the channel', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(100_000);
    const calls = Array.from({ length: 30 }, newId);
    await Promise.all(calls.map((id) => book.reserve(reserveOf(id, who.userId, who.tokenId, 100))));
    await Promise.all(calls.map((id) => book.settle(settleOf(id, who.userId, who.tokenId, 100, { channelId: 77 }))));
    const sums = {
      request_count: 30,
      failed_count: 0,
      quota: 3000,
      prompt_tokens: 30,
      completion_tokens: 60,
      cached_tokens: 0,
      request_time: 90,
    };
    expect(
      await db.selectFrom('usage_by_user').where('user_id', '=', who.userId).selectAll().executeTakeFirst(),
    ).toMatchObject(sums);
    expect(
      await db.selectFrom('usage_by_channel').where('channel_id', '=', 77).selectAll().executeTakeFirst(),
    ).toMatchObject(sums);
    await expectBooksBalance(db);
  });

  test('counts beyond 32 bits stay exact', async () => {
    const book = openBook(storage.runBook);
    const who = await caller(9_000_000_000_000_000);
    const id = newId();
    expect(await book.reserve(reserveOf(id, who.userId, who.tokenId, 8_999_999_999_999_999))).toBe('admitted');
    await book.settle(settleOf(id, who.userId, who.tokenId, 4_999_999_999_999_999));
    expect(await userOf(who)).toMatchObject({ quota: 4_000_000_000_000_001, used_quota: 4_999_999_999_999_999 });
    expect(await book.reserve(reserveOf(newId(), who.userId, who.tokenId, Number.MAX_SAFE_INTEGER))).toBe('user_quota');
  });
});
