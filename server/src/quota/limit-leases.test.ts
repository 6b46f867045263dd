import { accountScope, costCentreScope, memberScope, tokenScope } from '@relay-hub/contract';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { addCaller, type TestCaller } from '#testing/callers.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import '#testing/property-seed.ts';
import type { BatchRunner, CountAmount } from './batch-items.ts';
import { script } from './book-statements.ts';
import { type Book, type Hold, isHold } from './book.ts';
import { pace } from './leased-credits.ts';
import { replay } from './replay.ts';

const DAY_S = 86_400;

onEveryDatabase('leases of limits', (make) => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storages: [Storage, Storage];
  const { sweepMs } = pace;
  beforeAll(async () => {
    database = await make();
    storages = [openStorage(database), openStorage(database)];
  });
  /** Nodes answer a recall with their next sweep. */
  const sweepOften = (): void => void (pace.sweepMs = 20);
  afterEach(() => void (pace.sweepMs = sweepMs));
  afterAll(async () => {
    for (const storage of storages) await storage.close();
    await database?.remove();
  });

  let made = 0;
  const limit = (scope: string, name: string, amount: number, need: number): CountAmount => ({
    scope,
    name,
    limit: amount,
    need,
    starts: NOW,
    ends: NOW + DAY_S,
  });
  const reserve = (book: Book, who: TestCaller, reserved: number, amounts: CountAmount[], now = NOW) =>
    book.reserve({ ...callOf(`leased-${++made}`, who, reserved), limits: { now, amounts } });
  const settle = (book: Book, hold: Hold, credits: number): Promise<void> =>
    book.settle(hold, settlementOf(hold.call.requestId, credits));
  const written = async (book: Book): Promise<void> => {
    while (book.waiting > 0) await book.caughtUp();
  };
  const counters = ({ userId }: TestCaller) =>
    storages[0].db
      .selectFrom('limit_counters')
      .where('user_id', '=', userId)
      .select(['scope', 'name', 'used', 'held'])
      .orderBy('scope')
      .orderBy('starts')
      .execute();
  const leased = ({ userId }: TestCaller) =>
    storages[0].db.selectFrom('limit_leases').where('user_id', '=', userId).selectAll().execute();

  /** A book that counts the requests which a call waits for. */
  function countingBook(): { book: Book; asked: () => number } {
    let asked = 0;
    const run = storages[0].prepare(script);
    const counting: BatchRunner = (batch) => {
      asked += batch.items.filter((item) => item.kind === 'grant' && item.user.need > 0).length;
      return run(batch);
    };
    return { book: bookOf(storages[0], folder, `counting-${++made}`, counting), asked: () => asked };
  }

  test('of 1,000 calls of a key with a budget, windows and limits of its team, fewer than ten ask the database', async () => {
    const who = await addCaller(storages[0].db, { quota: 1_000_000_000 });
    const { userId, tokenId } = who;
    const amounts = [
      limit(accountScope(userId), 'credits:month', 50_000_000, 200),
      limit(costCentreScope(userId, 'R & D'), 'tokens:day', 5_000_000, 3),
      limit(memberScope(userId, 7), 'requests:hour', 90_000, 1),
      limit(tokenScope(tokenId), 'credits:day', 20_000_000, 200),
    ];
    const { book, asked } = countingBook();
    for (let wave = 0; wave < 100; wave++) {
      const holds = await Promise.all(Array.from({ length: 10 }, () => reserve(book, who, 200, amounts)));
      await Promise.all(holds.map((hold) => settle(book, hold as Hold, 100)));
      if (wave < 20) await written(book);
    }
    expect(asked()).toBeLessThan(10);
    await written(book);
    expect((await leased(who)).length).toBe(4);
    expect(await book.close()).toBe(true);
    expect(await counters(who)).toEqual([
      { scope: costCentreScope(userId, 'R & D'), name: 'tokens:day', used: 3_000, held: 0 },
      { scope: memberScope(userId, 7), name: 'requests:hour', used: 1_000, held: 0 },
      { scope: tokenScope(tokenId), name: 'credits:day', used: 100_000, held: 0 },
      { scope: accountScope(userId), name: 'credits:month', used: 100_000, held: 0 },
    ]);
    expect(await leased(who)).toEqual([]);
  });

  test('200 calls at once over two nodes use what a node has leased ahead, to the last credit and not beyond', async () => {
    sweepOften();
    const who = await addCaller(storages[0].db, { quota: 1_000_000_000 });
    const amounts = [limit(accountScope(who.userId), 'credits:day', 10_000, 100)];
    const books = storages.map((storage) => bookOf(storage, folder));
    const ofBook = async (at: number) => [books[at]!, await reserve(books[at]!, who, 100, amounts)] as const;
    const first = await ofBook(0);
    // The first node keeps room for five more calls, and four of the others come to it.
    expect(await leased(who)).toMatchObject([{ amount: 625 }]);
    const others = await Promise.all(Array.from({ length: 200 }, (_, at) => ofBook(at % 50 === 0 ? 0 : 1)));
    const admitted = [first, ...others].flatMap(([book, hold]) => (isHold(hold) ? [[book, hold] as const] : []));
    expect(admitted).toHaveLength(100);
    const refused = others.map(([, hold]) => hold).find((hold) => !isHold(hold));
    expect(refused).toMatchObject({ name: 'credits:day', limit: 10_000, need: 100, used: 0, held: 10_000 });
    for (const [book, hold] of admitted) await settle(book, hold, 100);
    for (const book of books) expect(await book.close()).toBe(true);
    expect(await counters(who)).toMatchObject([{ used: 10_000, held: 0 }]);
    expect(await leased(who)).toEqual([]);
  });

  test('a lower limit holds for the next call, and a higher one is used at once', async () => {
    const who = await addCaller(storages[0].db, { quota: 1_000_000_000 });
    const book = bookOf(storages[0], folder);
    const of = (amount: number) => [limit(tokenScope(who.tokenId), 'requests:day', amount, 1)];
    const first = await reserve(book, who, 100, of(10_000));
    expect(await leased(who)).toMatchObject([{ amount: 64 }]);
    expect(await reserve(book, who, 100, of(1))).toMatchObject({ name: 'requests:day', limit: 1, held: 1 });
    const second = await reserve(book, who, 100, of(2));
    expect([first, second].map((hold) => isHold(hold))).toEqual([true, true]);
    for (const hold of [first, second]) await settle(book, hold as Hold, 100);
    expect(await book.close()).toBe(true);
    expect(await counters(who)).toMatchObject([{ used: 2, held: 0 }]);
  });

  test('the end of a period ends its lease, and calls of it are counted in it', async () => {
    const who = await addCaller(storages[0].db, { quota: 1_000_000_000 });
    const book = bookOf(storages[0], folder);
    const scope = tokenScope(who.tokenId);
    const today = [limit(scope, 'credits:day', 100_000, 100)];
    const tomorrow = [{ ...limit(scope, 'credits:day', 100_000, 100), starts: NOW + DAY_S, ends: NOW + 2 * DAY_S }];
    const old = await reserve(book, who, 100, today);
    const young = await reserve(book, who, 100, tomorrow, NOW + DAY_S);
    await settle(book, young as Hold, 30);
    await written(book);
    expect(await counters(who)).toMatchObject([{ used: 0, held: 6_250 }, { used: 30 }]);
    await settle(book, old as Hold, 70);
    await written(book);
    expect(await counters(who)).toMatchObject([{ used: 70 }, { used: 30 }]);
    expect(await book.close()).toBe(true);
    // A period that is over goes when nothing is leased in it.
    expect(await counters(who)).toMatchObject([{ used: 30, held: 0 }]);
  });

  const command = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('call' as const),
        node: fc.nat(1),
        need: fc.integer({ min: 1, max: 90 }),
        calls: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('end' as const), at: fc.nat(), percent: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('die' as const), node: fc.nat(1) }) },
  );
  const caps = fc.uniqueArray(
    fc.record({
      of: fc.constantFrom(tokenScope(0), accountScope(0), memberScope(0, 7)),
      name: fc.constantFrom('credits:hour', 'credits:day'),
      amount: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 })),
    }),
    { minLength: 1, maxLength: 3, selector: ({ of, name }) => `${of} ${name}` },
  );

  test('whatever two nodes call, end and lose in crashes, no limit is exceeded, and each can be used to its end', async () => {
    sweepOften();
    await fc.assert(
      fc.asyncProperty(caps, fc.array(command, { maxLength: 16 }), async (drawn, commands) => {
        const { db } = storages[0];
        const who = await addCaller(db, { quota: 1_000_000_000 });
        const scopes: Record<string, string> = {
          t: tokenScope(who.tokenId),
          u: accountScope(who.userId),
          m: memberScope(who.userId, 7),
        };
        const least = Math.min(...drawn.map(({ amount }) => amount));
        const amountsOf = (need: number) =>
          drawn.map(({ of, name, amount }) => limit(scopes[of[0]!]!, name, amount, need));
        const nodes = storages.map((storage) => mortal(storage));
        let open: { node: number; hold: Hold }[] = [];
        let spent = 0;
        const ask = async (node: number, need: number): Promise<boolean> => {
          const hold = await reserve(nodes[node]!.book, who, need, amountsOf(need));
          if (isHold(hold)) open.push({ node, hold });
          return isHold(hold);
        };
        const end = async ({ node, hold }: (typeof open)[number], cost: number) => {
          open = open.filter((one) => one.hold !== hold);
          spent += cost;
          await settle(nodes[node]!.book, hold, cost);
        };
        const used = () => open.reduce((sum, { hold }) => sum + hold.call.reserved, spent);
        for (const drawnOne of commands) {
          if (drawnOne.do === 'call')
            await Promise.all(Array.from({ length: drawnOne.calls }, () => ask(drawnOne.node, drawnOne.need)));
          else if (drawnOne.do === 'die') {
            await nodes[drawnOne.node]!.die();
            open = open.filter(({ node }) => node !== drawnOne.node);
            nodes[drawnOne.node] = mortal(storages[drawnOne.node]!);
          } else if (open.length > 0) {
            const one = open[drawnOne.at % open.length]!;
            await end(one, Math.floor((one.hold.call.reserved * drawnOne.percent) / 100));
          }
          expect(used()).toBeLessThanOrEqual(least);
        }
        for (const one of open) await end(one, one.hold.call.reserved);
        for (const { book } of nodes) await written(book);
        const rest = least - spent;
        if (rest > 0) expect(await ask(0, rest)).toBe(true);
        expect(await ask(1, 1)).toBe(false);
        for (const one of open) await end(one, rest);
        for (const { book } of nodes) expect(await book.close()).toBe(true);
        for (const { used: counted, held } of await counters(who)) expect([counted, held]).toEqual([least, 0]);
      }),
      { numRuns: 25 },
    );
  });

  /** A node that can be killed: nothing of it reaches the database any more, and its journal is replayed. */
  function mortal(storage: Storage): { book: Book; die(): Promise<void> } {
    const run = storage.prepare(script);
    const running = new Set<Promise<unknown>>();
    let isDead = false;
    const name = `mortal-${++made}`;
    const book = bookOf(storage, folder, name, (batch) => {
      if (isDead) return Promise.reject(new Error('killed'));
      const work = run(batch);
      running.add(work);
      return work.finally(() => running.delete(work));
    });
    return {
      book,
      async die() {
        isDead = true;
        await Promise.allSettled(running);
        await replay({ db: storage.db, run, folder, now: () => NOW }, name);
      },
    };
  }
});
