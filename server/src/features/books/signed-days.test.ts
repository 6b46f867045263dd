import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { type Book, isHold } from '#quota/book.ts';
import { foldDay } from '#quota/fold-entries.ts';
import { post } from '#quota/ledger.ts';
import { failTask } from '#tasks/end-task.ts';
import { bookOf, callOf, folderForSuite, settlementOf } from '#testing/book-items.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import '#testing/property-seed.ts';
import { type BooksOptions, checkBooks } from './check-books.ts';
import { forgetSigned } from './signed-days.ts';

const DAY_S = 86_400;
/** A midnight of UTC. */
const FIRST = 1_799_971_200;

onEveryDatabase('signed days', (make) => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storage: Storage;
  let book: Book;
  let made = 0;
  /** Time of the last step; the suite has one history. */
  let at = FIRST;
  let cleaned = 0;

  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
    book = bookOf(storage, folder);
    const user = { password_hash: '', role: 1, status: 1, group: 'default', created_time: FIRST };
    await storage.db
      .insertInto('users')
      .values([1, 2, 3].map((id) => ({ ...user, id, username: `user-${id}` })))
      .execute();
    await sql`insert into tokens (id, user_id, name, key_hash, key_cipher, key_hint, status, "group", created_time, expired_time,
        remain_quota, unlimited_quota, used_quota, enable_cache)
      values (1, 1, '', '', '', '', 1, '', ${FIRST}, -1, 0, true, 0, false)`.execute(storage.db);
    await sql`insert into log_cleanup (id, target_timestamp, state, total, deleted, cleaned_before, actor_id, node, started_time,
      seen_time, ended_time) values (1, 0, 'done', 0, 0, 0, 0, '', 0, 0, 0)`.execute(storage.db);
    for (const id of [1, 2, 3]) await give(id, 1_000_000);
  });
  afterAll(async () => {
    await book.close();
    await storage.close();
    await database.remove();
  });

  async function call(userId: number, time: number, more: { credits?: number; metadata?: object } = {}) {
    const { credits = 5, metadata = {} } = more;
    const id = `call-${++made}`;
    const hold = await book.reserve(callOf(id, { userId, tokenId: userId === 1 ? 1 : 0 }, credits));
    if (!isHold(hold)) throw new Error(`refused: ${JSON.stringify(hold)}`);
    const settlement = settlementOf(id, credits, { now: time });
    await book.settle(hold, {
      ...settlement,
      log: { ...settlement.log, metadata: JSON.stringify({ outcome: 'answered', ...metadata }) },
    });
    return id;
  }
  const give = (userId: number, credits: number) =>
    storage.db.transaction().execute((trx) =>
      post(trx, {
        user_id: userId,
        kind: 'gift',
        credits,
        reference: `gift:${++made}`,
        actor_id: 1,
        remark: '',
        created_time: at,
      }),
    );
  async function run(options: BooksOptions = {}) {
    await caughtUpAll();
    const { checks, ...report } = await checkBooks(storage, folder, { now: at, rowsAtOnce: 20, ...options });
    return {
      ...report,
      differences: checks.flatMap(({ check, differences }) => differences.map((each) => ({ check, ...each }))),
    };
  }
  async function caughtUpAll(): Promise<void> {
    await book.caughtUp();
    await caughtUp(storage.db);
  }
  const balanced = { balanced: true, differences: [] };
  async function expectBalanced(): Promise<void> {
    expect(await run()).toMatchObject(balanced);
    expect(await run({ full: true })).toMatchObject(balanced);
  }
  const signed = () => storage.db.selectFrom('signed_days').selectAll().orderBy('until').execute();

  /** Deletes rows as the clean-up does, and folds the charges of the whole days before. */
  async function forget(before: number): Promise<void> {
    await caughtUpAll();
    cleaned = Math.max(cleaned, before);
    await storage.db.deleteFrom('logs').where('created_at', '<', cleaned).execute();
    await storage.db.updateTable('log_cleanup').set({ cleaned_before: cleaned }).execute();
    for (let day = FIRST; day + DAY_S <= cleaned; day += DAY_S)
      expect((await foldDay(storage.db, day, async () => true)).broken).toEqual([]);
  }

  const user = fc.integer({ min: 1, max: 3 });
  const days = fc.integer({ min: 1, max: 9 });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.constant('calls'), user, fc.integer({ min: 1, max: 6 })) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('late'), user, days) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('gift'), user, days) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('sign'), user, days) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('forget'), user, days) },
  );
  const plans = fc.array(fc.tuple(step, fc.integer({ min: 1, max: 40_000 })), { minLength: 30, maxLength: 40 });

  test('any order of calls, late calls, deletion, folding and signing gets the verdict of a full run', async () => {
    const follow = async (plan: readonly [step: [does: string, user: number, number: number], later: number][]) => {
      for (const [[does, userId, number], later] of plan) {
        at += later;
        if (does === 'calls')
          for (let n = 0; n < number; n++) await call(userId, at + n - (n % 3) * 40, { credits: 3 + n });
        else if (does === 'late') await call(userId, Math.max(FIRST, cleaned, at - number * DAY_S));
        else if (does === 'gift') await give(userId, 10);
        else if (does === 'forget') await forget(at - number * DAY_S);
        else await expectBalanced();
      }
      at += 3 * DAY_S;
      await expectBalanced();
      expect((await signed()).length).toBeGreaterThan(3);
    };
    await fc.assert(fc.asyncProperty(plans, follow), { numRuns: 1, endOnFailure: true });
  }, 60_000);

  test('a run reads only days that are not signed, and goes on where one was killed', async () => {
    await forgetSigned(storage.db);
    const all = await run({ full: true });
    let killed = 0;
    const kill = (_: string, __: number, until: number): void => {
      if (until > 0 && ++killed === 2) throw new Error('killed');
    };
    await expect(run({ progress: kill })).rejects.toThrow('killed');
    const first = await signed();
    expect(first).toHaveLength(2);
    const [next, another] = await Promise.all([run(), run()]);
    expect([next, another]).toMatchObject([balanced, balanced]);
    const whole = await signed();
    expect(whole.length).toBeGreaterThan(first.length);
    expect(whole.slice(0, 2)).toEqual(first);
    const read = (days_: typeof whole) => days_.reduce((sum, day) => sum + day.entries, 0);
    expect(next.signed).toMatchObject({ until: whole.at(-1)!.until, entries: read(whole) });
    expect(Math.max(next.entries, another.entries)).toBeLessThanOrEqual(all.entries - read(first));
    expect(await run()).toMatchObject({ ...balanced, entries: all.entries - read(whole), signed: next.signed });
    expect(await run({ full: true })).toMatchObject({ ...balanced, entries: all.entries, signed: next.signed });
  });

  test('days after one that does not balance are not signed', async () => {
    at += DAY_S;
    const id = await call(2, at);
    await caughtUpAll();
    at += 5 * DAY_S;
    await call(2, at - 3 * DAY_S);
    await caughtUpAll();
    const set = (quota: number) => storage.db.updateTable('logs').set({ quota }).where('request_id', '=', id).execute();
    const before = await signed();
    await set(6);
    const found = await run();
    expect(found.differences).toContainEqual({ check: 'rows', of: `call ${id}`, expected: '6', found: '5' });
    expect((await signed()).length).toBeLessThan(before.length + 2);
    expect(found.signed.until).toBeLessThan(at - 5 * DAY_S);
    await set(5);
    await expectBalanced();
    expect((await signed()).at(-1)!.until).toBeGreaterThan(at - 4 * DAY_S);
  });

  /** Changes of an old row or entry, and the figure by which a full run finds it. */
  const changes: [name: string, change: string, undo: string, found: string][] = [
    [
      'a row with other tokens',
      'update logs set prompt_tokens = 7 where id = $row',
      'update logs set prompt_tokens = 1 where id = $row',
      'rows (digest)',
    ],
    [
      'a row of another model',
      `update logs set model_name = 'other' where id = $row`,
      `update logs set model_name = 'gpt-4o' where id = $row`,
      'rows (digest)',
    ],
    [
      'a charge of another token',
      'update ledger set token_id = 99 where id = $charge',
      'update ledger set token_id = $token where id = $charge',
      'charges (digest)',
    ],
    [
      'a gift with another remark',
      `update ledger set remark = 'x' where id = $gift`,
      `update ledger set remark = '' where id = $gift`,
      'other (digest)',
    ],
    [
      'a gift of another day',
      'update ledger set created_time = created_time + 86400 where id = $gift',
      'update ledger set created_time = created_time - 86400 where id = $gift',
      'other (digest)',
    ],
    [
      'a signed sum',
      `update signed_sums set credits = credits + 1 where kind = 'user' and id = 2`,
      `update signed_sums set credits = credits - 1 where kind = 'user' and id = 2`,
      'signed sum of user 2',
    ],
  ];
  test.each(changes)('%s is found by a full run', async (_, change, undo, found) => {
    const last = (await signed()).at(-1)!;
    expect(last.first_time).toBeGreaterThanOrEqual(cleaned);
    const row = await storage.db
      .selectFrom('logs')
      .where('id', '>', last.rows_after)
      .where('id', '<=', last.rows_to)
      .select(['id', 'request_id'])
      .executeTakeFirstOrThrow();
    const ledger = storage.db.selectFrom('ledger').select(['id', 'token_id']).orderBy('id');
    const charge = await ledger.where('reference', '=', `call:${row.request_id}`).executeTakeFirstOrThrow();
    const gift = await ledger.where('kind', '=', 'gift').executeTakeFirstOrThrow();
    const values = { row: row.id, charge: charge.id, token: charge.token_id, gift: gift.id };
    const execute = (text: string) =>
      sql.raw(text.replaceAll(/\$(\w+)/g, (__, name: keyof typeof values) => `${values[name]}`)).execute(storage.db);
    await execute(change);
    expect(await run()).toMatchObject(found.startsWith('signed sum') ? { balanced: false } : balanced);
    const { differences } = await run({ full: true });
    expect(differences.filter(({ check }) => check === 'signed').map(({ of }) => of)).toEqual(
      expect.arrayContaining([expect.stringContaining(found)]),
    );
    await execute(undo);
    expect(await run({ full: true })).toMatchObject(balanced);
  });

  test('the refund of a task whose call is signed makes no difference', async () => {
    const starts = at - DAY_S;
    const limits = [['credits:month', starts]];
    const id = await call(1, at, { credits: 9, metadata: { limits } });
    await caughtUpAll();
    await storage.db
      .insertInto('limit_counters')
      .values({
        scope: 't1',
        user_id: 1,
        token_id: 1,
        name: 'credits:month',
        starts,
        ends: starts + 30 * DAY_S,
        used: 9,
        held: 0,
      })
      .execute();
    const task = await storage.db
      .insertInto('tasks')
      .values({
        task_id: 'task',
        platform: 'suno',
        action: '',
        model: '',
        mode: '',
        status: 'IN_PROGRESS',
        quota: 9,
        request_id: id,
        user_id: 1,
        token_id: 1,
        channel_id: 0,
        key_id: 0,
        key_cipher: '',
        base_url: '',
        created_at: at,
        updated_at: at,
        submit_ms: at * 1000,
        next_poll_at: 0,
        deadline: at + DAY_S,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    at += 4 * DAY_S;
    await expectBalanced();
    expect((await signed()).at(-1)!.until).toBeGreaterThan(starts + DAY_S);
    expect(await failTask({ db: storage.db, now: () => at }, task, { status: 'FAILURE', reason: '' })).toBe(true);
    await expectBalanced();
    at += 4 * DAY_S;
    await expectBalanced();
  });

  test('charges of a day that are in two signatures are not folded into one', async () => {
    const day = at - (at % DAY_S) + DAY_S;
    const [own, late] = [await call(3, day + 100), await call(2, day + DAY_S), await call(3, day + 200)].flatMap(
      (id, n) => (n === 1 ? [] : [`call:${id}`]),
    );
    at = day + 6 * DAY_S;
    expect(await run({ rowsAtOnce: 1 })).toMatchObject(balanced);
    const ids = await storage.db.selectFrom('ledger').where('reference', 'in', [own!, late!]).select('id').execute();
    const of = async (id: number) => (await signed()).find((each) => id <= each.entries_to)!.until;
    expect(await of(ids[0]!.id)).toBeLessThan(await of(ids[1]!.id));
    await forget(day + 2 * DAY_S);
    expect(
      await storage.db.selectFrom('ledger').where('reference', 'in', [own!, late!]).select('id').execute(),
    ).toEqual(ids);
    await expectBalanced();
  });

  test('calls after all rows were deleted are not taken for signed ones', async () => {
    await give(2, 1);
    await forget(at + 1);
    expect(await storage.db.selectFrom('logs').select('id').execute()).toEqual([]);
    for (let day = 0; day < 5; day++) {
      at += DAY_S;
      for (let n = 0; n < 3; n++) await call(2, at);
      await expectBalanced();
    }
    at += 4 * DAY_S;
    await expectBalanced();
  });

  test('a removed row and its charge are found by a full run, and new signatures do not hide them', async () => {
    const { id, request_id: request } = await storage.db
      .selectFrom('logs')
      .select(['id', 'request_id'])
      .orderBy('id')
      .executeTakeFirstOrThrow();
    await storage.db.deleteFrom('logs').where('id', '=', id).execute();
    await storage.db.deleteFrom('ledger').where('reference', '=', `call:${request}`).execute();
    expect(await run()).toMatchObject(balanced);
    const { differences } = await run({ full: true });
    expect(differences.map(({ check }) => check)).toEqual(expect.arrayContaining(['signed', 'balances']));
    expect(differences).toContainEqual(
      expect.objectContaining({ of: expect.stringMatching(/^signed days .* calls$/) }),
    );
    await forgetSigned(storage.db);
    const again = await run();
    expect(again.differences.map(({ check }) => check)).toContain('balances');
  });
});
