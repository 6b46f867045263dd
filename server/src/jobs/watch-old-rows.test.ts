import { logCleanupApi, logApi, optionApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { Cleaner } from '#features/log/log-cleaner.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { foldDay } from '#quota/fold-entries.ts';
import { journalFolder } from '#quota/journal.ts';
import { post } from '#quota/ledger.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat } from '#testing/chat.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { removeOldRows } from './watch-old-rows.ts';

const DAY_S = 86_400;
const ROWS = 2000;
const DAYS = 20;

onEveryDatabase('old rows', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  test('are deleted at night after the days of the settings, and an SQLite file gets smaller', async () => {
    const { deps } = hub().server;
    const { db, storage, config } = deps;
    const night = new Date();
    night.setHours(3, 20, 0, 0);
    const time = Math.floor(night.getTime() / 1000);
    const first = time - DAYS * DAY_S;
    const at = (n: number): number => first + Math.floor((n * DAYS * DAY_S) / ROWS);
    const content = 'x'.repeat(2000);
    const logs = Array.from({ length: ROWS }, (_, n) =>
      logRow({ request_id: `old${n}`, user_id: 1, created_at: at(n), content }),
    );
    await insertLogs(db, logs);
    for (const days of [1, 5, 9])
      await db
        .insertInto('unknown_keys')
        .values({
          hour: time - days * DAY_S,
          address: '192.0.2.1',
          unknown: 1,
          missing: 0,
          first_time: time - days * DAY_S,
          last_time: time - days * DAY_S,
          endpoint: '/v1/models',
        })
        .execute();
    const set = (key: string, value: string) => hub().root.call(optionApi.set, { body: { key, value } });
    await set('CleanupHour', '3');
    const nightly = { ...deps, now: () => time };
    const byDay = { ...deps, now: () => time + 3600 };
    const run = async (when: typeof deps): Promise<void> => {
      await removeOldRows(when, () => false, 1);
      const cleaner = new Cleaner(deps);
      cleaner.wake();
      await expect
        .poll(() => hub().root.call(logCleanupApi.progress), { message: 'the clean-up ends' })
        .not.toMatchObject({ state: 'running' });
      await cleaner.stop();
    };
    const left = async () => ({
      logs: (await db.selectFrom('logs').where('request_id', 'like', 'old%').select('id').execute()).length,
      keys: (await db.selectFrom('unknown_keys').select('hour').execute()).length,
    });

    await run(nightly);
    expect(await left()).toEqual({ logs: ROWS, keys: 3 });
    await set('LogKeepDays', '5');
    await set('RefusedKeepDays', '7');
    await run(byDay);
    expect(await left()).toEqual({ logs: ROWS, keys: 3 });
    await run(nightly);
    const slot = night.setHours(3, 0, 0, 0) / 1000;
    const kept = logs.filter((row) => row.created_at >= slot - 5 * DAY_S).length;
    expect(await left()).toEqual({ logs: kept, keys: 2 });
    const totals = await hub().root.call(logApi.totals);
    const { free, pages } = await storage.shrink(0);
    if (config.databaseUrl === undefined) expect(free).toBeGreaterThan(pages * 0.25);
    // Once a night, and then the space.
    await run(nightly);
    expect((await storage.shrink(0)).pages).toBeLessThanOrEqual(pages - free);
    expect(await left()).toEqual({ logs: kept, keys: 2 });
    expect(await hub().root.call(logApi.totals)).toEqual(totals);
    if (config.databaseUrl === undefined) expect((await storage.shrink(0)).free).toBe(0);
  }, 30_000);

  test('charges of calls without rows become one entry between two others, and the books stay balanced', async () => {
    const { deps } = hub().server;
    const { db, storage, config } = deps;
    await db.deleteFrom('logs').where('request_id', 'like', 'old%').execute();
    await addChannel(hub(), upstream().url);
    const { key } = await addToken(hub());
    const call = async (times: number): Promise<void> => {
      for (let made = 0; made < times; made++) expect((await chat(hub(), key)).status).toBe(200);
      await caughtUp(db);
    };
    await call(4);
    await addGift(400);
    await call(5);
    await addGift(500);
    await call(3);
    const settled = db.selectFrom('ledger').where('kind', '=', 'settle').selectAll().orderBy('id');
    const before = await settled.execute();
    expect(before).toHaveLength(12);
    const night = new Date().setHours(3, 20, 0, 0) / 1000;
    const day = Math.floor(night / DAY_S) * DAY_S - 30 * DAY_S;
    await db
      .updateTable('ledger')
      .set({ created_time: day + 40_000 })
      .where('kind', '=', 'settle')
      .execute();
    // One row stays, and the charge of another day stands between two of this one.
    const [kept, otherDay] = [before[6]!, before[10]!];
    await db
      .updateTable('ledger')
      .set({ created_time: day - 100 })
      .where('id', '=', otherDay.id)
      .execute();
    await db
      .updateTable('logs')
      .set({ created_at: day + 40_000 })
      .where('request_id', '=', kept.reference.slice(5))
      .execute();
    await db.deleteFrom('logs').where('request_id', '<>', kept.reference.slice(5)).execute();
    await db
      .updateTable('log_cleanup')
      .set({ cleaned_before: day + 5 * DAY_S })
      .execute();
    await hub().root.call(optionApi.set, { body: { key: 'LedgerFoldDays', value: '10' } });
    const books = async () => {
      const { checks } = await checkBooks(storage, journalFolder(config.dataDir));
      return Object.fromEntries(checks.map(({ check, differing }) => [check, differing]));
    };
    const balanced = await books();
    expect(balanced).toMatchObject({ balances: 0, entry_chain: 0, rows: 0 });

    // A chain that is broken is left alone, and reported.
    const broken = before[1]!;
    const setBalance = (balance: number) =>
      db.updateTable('ledger').set({ balance_after: balance }).where('id', '=', broken.id).execute();
    await setBalance(broken.balance_after + 1);
    expect(await foldDay(db, day, async () => true)).toEqual({ gone: 0, broken: [broken.user_id] });
    expect(await settled.execute()).toHaveLength(12);
    await setBalance(broken.balance_after);

    await removeOldRows({ ...deps, now: () => night }, () => false);
    const after = await settled.execute();
    const of = (from: number, to: number) => before.slice(from, to + 1);
    const sum = (entries: typeof before) => entries.reduce((credits, entry) => credits + entry.credits, 0);
    expect(
      after.map(({ id, credits, balance_after, reference }) => ({ id, credits, balance_after, reference })),
    ).toEqual(
      [of(0, 3), of(4, 5), [kept], of(7, 8), [before[9]!], [otherDay], [before[11]!]].map((run) => ({
        id: run.at(-1)!.id,
        credits: sum(run),
        balance_after: run.at(-1)!.balance_after,
        reference: run.length === 1 ? run[0]!.reference : `calls:${run.length}:${run.at(-1)!.id}`,
      })),
    );
    expect(await books()).toEqual(balanced);
    expect(await foldDay(db, day, async () => true)).toEqual({ gone: 0, broken: [] });
  }, 30_000);

  const addGift = (id: number) =>
    hub()
      .server.deps.db.transaction()
      .execute((trx) =>
        post(trx, {
          user_id: 1,
          kind: 'gift',
          credits: 10,
          reference: `test:${id}`,
          actor_id: 1,
          remark: '',
          created_time: 1,
        }),
      );
});
