import {
  accountScope,
  costCentreScope,
  idOfScope,
  type LogMetadata,
  memberScope,
  PLAN_TOTAL,
  planScope,
  subjectOf,
  tokenScope,
} from '@relay-hub/contract';
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

onEveryDatabase('limits of a call', (make) => {
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
  const day = (name: string, limit: number, need: number, scope = 't'): CountAmount => ({
    scope,
    name,
    limit,
    need,
    starts: NOW,
    ends: NOW + DAY_S,
  });
  /** Scopes of rows and of cases are without ids. */
  const scopeOf = (scope: string, { userId, tokenId }: TestCaller): string =>
    ({
      t: tokenScope(tokenId),
      u: accountScope(userId),
      m: memberScope(userId, 7),
      c: costCentreScope(userId, 'R & D'),
    })[scope] ?? planScope(userId * 10 + Number(scope.slice(1)));
  const amountsOf = (who: TestCaller, amounts: CountAmount[]): CountAmount[] =>
    amounts.map((amount) => ({ ...amount, scope: scopeOf(amount.scope, who) }));
  const limitedCall = (
    who: TestCaller,
    reserved: number,
    amounts: CountAmount[],
    { now = NOW, plans, beyond = true }: { now?: number; plans?: CountAmount[][]; beyond?: boolean } = {},
  ): Reservation => ({
    ...callOf(newId(), who, reserved),
    limits: {
      now,
      amounts: amountsOf(who, amounts),
      plans: plans && { credits: reserved, periods: plans.map((period) => amountsOf(who, period)), beyond },
    },
  });
  const settle = (book: Book, hold: Hold, credits: number): Promise<void> => {
    const { log } = settlementOf('', 0);
    const counts = hold.counts ?? [];
    const periods = new Set(counts.map(({ scope }) => scope).filter((scope) => subjectOf(scope) === 'plan'));
    const plans = [...periods].map((scope) => ({ id: idOfScope(scope), name: 'Pro', credits: 0 }));
    const metadata: LogMetadata = { outcome: 'answered', limits: countedIn(counts), plans };
    const row = { ...log, metadata: JSON.stringify(metadata) };
    return book.settle(hold, settlementOf(hold.call.requestId, credits, { log: row }));
  };
  const counterOf = (who: TestCaller, name: string, scope = 't') =>
    db
      .selectFrom('limit_counters')
      .where('scope', '=', scopeOf(scope, who))
      .where('name', '=', name)
      .orderBy('starts', 'desc')
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
    ['credits a month of the account', [day('credits:month', 1000, 100, 'u')], 10],
    [
      'of token, member, cost centre and account',
      [
        day('credits:month', 5000, 100, 'u'),
        day('requests:hour', 50, 1, 'm'),
        day('tokens:week', 40, 3, 'c'),
        day('credits:day', 2000, 100),
      ],
      13,
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
      for (const book of books) expect(await book.close()).toBe(true);
      for (const { name, scope } of amounts) {
        const used = { credits: 100, requests: 1, tokens: 3, calls: 0 }[name.split(':')[0]!]!;
        expect(await counterOf(who, name, scope)).toMatchObject({ used: admits * used, held: 0 });
      }
      expect(await leases()).toEqual([]);
    });
  });

  test('a call is counted with its true charge, and what it does not use is free for others', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 10_000_000 });
    const amounts = [day('credits:day', 1000, 900)];
    const first = await book.reserve(limitedCall(who, 900, amounts));
    expect(await book.reserve(limitedCall(who, 900, amounts))).toEqual({
      scope: tokenScope(who.tokenId),
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
    expect(await counterOf(who, 'credits:day')).toBeUndefined();
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
    expect(isHold(await book.reserve(limitedCall(who, 100, today, { now: NOW + DAY_S - 1 })))).toBe(false);
    const young = (await book.reserve(limitedCall(who, 100, tomorrow, { now: NOW + DAY_S }))) as Hold;
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

  /** A plan: what it pays in its period, and in five hours. */
  const plan = (number: number, total: number, need: number, fiveHours = total): CountAmount[] => [
    { ...day(PLAN_TOTAL, total, need, `p${number}`), ends: NOW + 30 * DAY_S },
    { ...day('credits:five_hours', fiveHours, need, `p${number}`), ends: NOW + 18_000 },
    day('requests:day', 500, 1, `p${number}`),
  ];
  const balanceOf = async ({ userId }: TestCaller) => {
    const user = await db
      .selectFrom('users')
      .where('id', '=', userId)
      .select(({ eb }) => eb('quota', '+', eb.ref('held')).as('left'))
      .executeTakeFirstOrThrow();
    return user.left;
  };
  const rowOf = (hold: Hold) =>
    db
      .selectFrom('logs')
      .where('request_id', '=', hold.call.requestId)
      .select(['quota', 'metadata'])
      .executeTakeFirstOrThrow();

  test.each([
    { beyond: true, admits: 25, left: 0 },
    { beyond: false, admits: 10, left: 1500 },
  ])('200 racing calls share a plan and a balance over two nodes: $admits fit', async ({ beyond, admits, left }) => {
    const books = [bookOf(storage, folder), bookOf(other, folder)];
    const who = await addCaller(db, { quota: 1500 });
    const asked = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        books[i % 2]!.reserve(limitedCall(who, 100, [], { plans: [plan(1, 1000, 100)], beyond })),
      ),
    );
    const holds = asked.flatMap((one, i) => (isHold(one) ? [[books[i % 2]!, one] as const] : []));
    expect(holds).toHaveLength(admits);
    expect(asked.find((one) => !isHold(one))).toEqual(
      beyond ? 'user_quota' : expect.objectContaining({ name: PLAN_TOTAL, limit: 1000, held: 1000 }),
    );
    await Promise.all(holds.map(([book, hold]) => settle(book, hold, 100)));
    for (const book of books) expect(await book.close()).toBe(true);
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: 1000, held: 0 });
    expect(await counterOf(who, 'requests:day', 'p1')).toMatchObject({ used: 10, held: 0 });
    expect(await balanceOf(who)).toBe(left);
    expect(await leases()).toEqual([]);
  });

  /** The parts of all payers of a call that reserves 100 and costs a different sum. */
  const shared = [
    { what: 'the plan pays all, also above the reservation', total: 1000, cost: 160, paid: [160, 0, 0] },
    { what: 'the plan pays its rest, the balance the remainder', total: 40, cost: 160, paid: [40, 0, 120] },
    { what: 'a second plan pays before the balance', total: 40, second: 70, cost: 160, paid: [40, 70, 50] },
    { what: 'what only the plan may pay is a recorded loss', total: 100, beyond: false, cost: 160, paid: [100, 0, 0] },
    { what: 'five hours bound the plan like its period', total: 1000, fiveHours: 30, cost: 90, paid: [30, 0, 60] },
    { what: 'a cheaper call returns the rest', total: 40, cost: 10, paid: [10, 0, 0] },
  ];
  test.each(shared)('$what', async ({ total, second = 0, fiveHours, beyond = true, cost, paid }) => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 1000 });
    const plans = [plan(1, total, 100, fiveHours), plan(2, second, 100)];
    const hold = (await book.reserve(limitedCall(who, 100, [day('credits:day', 500, 100)], { plans, beyond }))) as Hold;
    await settle(book, hold, cost);
    expect(await book.close()).toBe(true);
    const [first = 0, next = 0, own = 0] = paid;
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: first, held: 0 });
    expect((await counterOf(who, PLAN_TOTAL, 'p2'))?.used ?? 0).toBe(next);
    expect(await balanceOf(who)).toBe(1000 - own);
    // A cap of the token bounds its use, also when a plan pays.
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: first + next + own, held: 0 });
    const row = await rowOf(hold);
    const ofPlans = [first, next].flatMap((part, at) =>
      part > 0 ? [{ id: who.userId * 10 + at + 1, name: 'Pro', credits: part }] : [],
    );
    expect(row.quota).toBe(own);
    expect(row.metadata?.plans).toEqual(ofPlans);
    expect(row.metadata?.shortfall).toBe(cost > first + next + own ? cost - first - next - own : undefined);
  });

  test('a running call takes more of its plan, then of the balance', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 1000 });
    const plans = [plan(1, 250, 100)];
    const hold = (await book.reserve(limitedCall(who, 100, [], { plans }))) as Hold;
    expect(book.extendNow(hold, 100)).toBe(false);
    expect(await book.extend(hold, 100)).toBeUndefined();
    expect(await book.extend(hold, 400)).toBeUndefined();
    expect(await book.extend(hold, 700)).toBe('user_quota');
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: 0, held: 250 });
    await settle(book, hold, 600);
    expect(await book.close()).toBe(true);
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: 250, held: 0 });
    expect(await balanceOf(who)).toBe(650);
  });

  test("a plan's call uses the token's own quota, and is refused without it", async () => {
    const book = bookOf(storage, folder);
    const who = { ...(await addCaller(db, { quota: 0, remain: 150 })), limited: true };
    const plans = [plan(1, 1000, 100)];
    const hold = (await book.reserve(limitedCall(who, 100, [], { plans }))) as Hold;
    expect(await book.reserve(limitedCall(who, 100, [], { plans }))).toBe('token_quota');
    await settle(book, hold, 100);
    expect(await book.close()).toBe(true);
    const token = await db.selectFrom('tokens').where('id', '=', who.tokenId).selectAll().executeTakeFirstOrThrow();
    expect(token).toMatchObject({ remain_quota: 50, held: 0 });
  });

  test('a call settles to the period in which it was admitted, also after a later one has begun', async () => {
    const book = bookOf(storage, folder);
    const who = await addCaller(db, { quota: 0 });
    const [total, fiveHours] = plan(1, 1000, 100, 150) as [CountAmount, CountAmount];
    const later = { ...fiveHours, starts: NOW + 18_000, ends: NOW + 36_000 };
    const old = (await book.reserve(limitedCall(who, 100, [], { plans: [[total, fiveHours]], beyond: false }))) as Hold;
    const next = { plans: [[total, later]], beyond: false, now: NOW + 18_000 };
    const young = (await book.reserve(limitedCall(who, 100, [], next))) as Hold;
    await settle(book, old, 100);
    await settle(book, young, 140);
    expect(await book.close()).toBe(true);
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: 240, held: 0 });
    const windows = await db
      .selectFrom('limit_counters')
      .where('name', '=', 'credits:five_hours')
      .where('scope', '=', scopeOf('p1', who))
      .select(['starts', 'used'])
      .execute();
    // The old period is not kept once nothing is open in it.
    expect(windows).toEqual([{ starts: NOW + 18_000, used: 140 }]);
  });

  test('of a process that is killed, finished calls count once and open ones not at all', async () => {
    const run = storage.prepare(bookScript);
    const book = bookOf(storage, folder, 'killed', async (batch) => {
      if (batch.lines.length > 0 || batch.items.some(({ kind }) => kind === 'settle')) throw new Error('killed');
      return run(batch);
    });
    const who = await addCaller(db, { quota: 10_000_000 });
    const amounts = [day('credits:day', 1000, 100), day('calls:at_once', 9, 1), day('credits:month', 900, 100, 'u')];
    const holds = (await Promise.all(
      Array.from({ length: 5 }, () => book.reserve(limitedCall(who, 100, amounts, { plans: [plan(1, 250, 100)] }))),
    )) as Hold[];
    for (const hold of holds.slice(0, 3)) await settle(book, hold, 70);
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 0, held: 500 });
    const dead = { db, run, folder, now: () => NOW };
    await Promise.all([replay(dead, 'killed'), replay(dead, 'killed')]);
    await replay(dead, 'killed');
    expect(await counterOf(who, 'credits:day')).toMatchObject({ used: 210, held: 0 });
    expect(await counterOf(who, 'credits:month', 'u')).toMatchObject({ used: 210, held: 0 });
    expect(await counterOf(who, PLAN_TOTAL, 'p1')).toMatchObject({ used: 210, held: 0 });
    expect(await counterOf(who, 'calls:at_once')).toMatchObject({ used: 0, held: 0 });
    expect(await leases()).toEqual([]);
  });
});
