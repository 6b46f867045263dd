import type { LogMetadata } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import type { CountAmount } from './batch-items.ts';
import { script as bookScript } from './book-statements.ts';
import { type Book, type Hold, isHold, type Reservation } from './book.ts';
import { countedIn } from './limit-use.ts';
import { replay } from './replay.ts';

const DAY_S = 86_400;

onEveryDatabase('limits of a token', (make) => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storage: Storage;
  let other: Storage;
  let db: Kysely<Tables>;
  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
    db = storage.db;
    other = openStorage(database);
  });
  afterAll(async () => {
    await other?.close();
    await storage?.close();
    await database?.remove();
  });

  let ids = 0;
  const newId = () => `limited-${++ids}`;
  const day = (name: string, limit: number, need: number): CountAmount => ({
    name,
    limit,
    need,
    starts: NOW,
    ends: NOW + DAY_S,
  });
  const limitedCall = (who: TestCaller, reserved: number, amounts: CountAmount[], now = NOW): Reservation => ({
    ...callOf(newId(), who, reserved),
    limits: { now, amounts },
  });
  const settle = (book: Book, hold: Hold, credits: number): Promise<void> => {
    const { log } = settlementOf('', 0);
    const metadata: LogMetadata = { outcome: 'answered', limits: countedIn(hold.counts ?? []) };
    const row = { ...log, metadata: JSON.stringify(metadata) };
    return book.settle(hold, settlementOf(hold.call.requestId, credits, { log: row }));
  };
  const counterOf = ({ tokenId }: TestCaller, name: string) =>
    db
      .selectFrom('limit_counters')
      .where('token_id', '=', tokenId)
      .where('name', '=', name)
      .select(['used', 'held', 'starts', 'ends'])
      .executeTakeFirst();
  const leases = () => db.selectFrom('limit_leases').selectAll().execute();

  /** Each limit alone and all at once, with the number of calls that each admits. */
  const kinds: [what: string, amounts: CountAmount[], admits: number][] = [
    ['credits a day', [day('credits:day', 1000, 100)], 10],
    ['requests a minute', [day('requests:minute', 17, 1)], 17],
    ['tokens a day', [day('tokens:day', 25, 3)], 8],
    ['calls at once', [{ ...day('calls:at_once', 6, 1), starts: 0, ends: Number.MAX_SAFE_INTEGER }], 6],
    [
      'several at once',
      [day('credits:day', 5000, 100), day('credits:month', 1200, 100), day('requests:minute', 90, 1)],
      12,
    ],
  ];

  describe.each(kinds)('%s', (_, amounts, admits) => {
    test.each([1, 2])('200 racing calls on %i nodes are admitted exactly as often as the limit says', async (nodes) => {
      const books = [bookOf(storage, folder), bookOf(other, folder)].slice(0, nodes);
      const who = await addCaller(db, { quota: 10_000_000 });
      const asked = await Promise.all(
        Array.from({ length: 200 }, (_unused, i) => books[i % nodes]!.reserve(limitedCall(who, 100, amounts))),
      );
      const holds = asked.flatMap((one, i) => (isHold(one) ? [[books[i % nodes]!, one] as const] : []));
      expect(holds).toHaveLength(admits);
      const refused = asked.find((one) => !isHold(one));
      expect(refused).toMatchObject({ name: expect.any(String), limit: expect.any(Number), used: 0 });
      await Promise.all(holds.map(([book, hold]) => settle(book, hold, 100)));
      for (const book of books) await book.caughtUp();
      for (const { name } of amounts) {
        const used = { credits: 100, requests: 1, tokens: 3, calls: 0 }[name.split(':')[0]!]!;
        await expect
          .poll(() => counterOf(who, name), { message: 'the counter' })
          .toMatchObject({ used: admits * used, held: 0 });
      }
      for (const book of books) expect(await book.close()).toBe(true);
      expect(await leases()).toEqual([]);
    });
  });

  test('a call is counted with its true charge, and what it does not use is free for others', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 10_000_000 });
    const amounts = [day('credits:day', 1000, 900)];
    const first = await book.reserve(limitedCall(who, 900, amounts));
    expect(await book.reserve(limitedCall(who, 900, amounts))).toEqual({
      name: 'credits:day',
      limit: 1000,
      need: 900,
      used: 0,
      held: 900,
      ends: NOW + DAY_S,
    });
    await settle(book, first as Hold, 100);
    await book.caughtUp();
    const second = await book.reserve(limitedCall(who, 900, amounts));
    expect(isHold(second)).toBe(true);
    await settle(book, second as Hold, 900);
    await book.caughtUp();
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 1000, held: 0 });
    // A free call passes a budget that is used up.
    const free = await book.reserve(limitedCall(who, 0, [day('credits:day', 1000, 0)]));
    expect(isHold(free)).toBe(true);
    await settle(book, free as Hold, 0);
    expect(await book.close()).toBe(true);
  });

  test('a call that is refused for its balance reserves nothing of the limits', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 50 });
    expect(await book.reserve(limitedCall(who, 100, [day('credits:day', 1000, 100)]))).toBe('user_quota');
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 0, held: 0 });
    expect(await book.close()).toBe(true);
  });

  test('a running call that needs more is refused by its budget, and keeps what it has', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 10_000_000 });
    const hold = (await book.reserve(limitedCall(who, 100, [day('credits:day', 1000, 100)]))) as Hold;
    expect(await book.extend(hold, 800)).toBeUndefined();
    expect(await book.extend(hold, 101)).toMatchObject({ name: 'credits:day', held: 900 });
    await settle(book, hold, 870);
    await book.caughtUp();
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 870, held: 0 });
    expect(await book.close()).toBe(true);
  });

  test('a new period begins at its second, and a call of the old one does not count in it', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 10_000_000 });
    const today = [day('credits:day', 100, 100)];
    const tomorrow = [{ ...day('credits:day', 100, 100), starts: NOW + DAY_S, ends: NOW + 2 * DAY_S }];
    const old = (await book.reserve(limitedCall(who, 100, today))) as Hold;
    expect(isHold(await book.reserve(limitedCall(who, 100, today, NOW + DAY_S - 1)))).toBe(false);
    const young = (await book.reserve(limitedCall(who, 100, tomorrow, NOW + DAY_S))) as Hold;
    expect(isHold(young)).toBe(true);
    await settle(book, old, 100);
    await book.caughtUp();
    expect(await counterOf(who, 'credits:day')).toEqual({
      used: 0,
      held: 100,
      starts: NOW + DAY_S,
      ends: NOW + 2 * DAY_S,
    });
    await settle(book, young, 40);
    await book.caughtUp();
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 40, held: 0 });
    expect(await book.close()).toBe(true);
  });

  test('of a process that is killed, finished calls count once and open ones not at all', async () => {
    const run = storage.prepare(bookScript);
    const book = bookOf(storage, folder, 'killed', async (batch) => {
      if (batch.lines.length > 0 || batch.items.some(({ kind }) => kind === 'settle')) throw new Error('killed');
      return run(batch);
    });
    const who = await addCaller(db, { quota: 10_000_000 });
    const amounts = [day('credits:day', 1000, 100), day('calls:at_once', 9, 1)];
    const holds = (await Promise.all(
      Array.from({ length: 5 }, () => book.reserve(limitedCall(who, 100, amounts))),
    )) as Hold[];
    for (const hold of holds.slice(0, 3)) await settle(book, hold, 70);
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 0, held: 500 });
    const dead = { db, run, folder, now: () => NOW };
    await Promise.all([replay(dead, 'killed'), replay(dead, 'killed')]);
    await replay(dead, 'killed');
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 210, held: 0 });
    expect(await counterOf(who, 'calls:at_once')).toMatchObject({ used: 0, held: 0 });
    expect(await leases()).toEqual([]);
  });
});
