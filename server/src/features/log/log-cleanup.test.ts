import type { LogCleanup } from '@relay-hub/contract';
import { logApi, logCleanupApi, logQuery, role } from '@relay-hub/contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sealDays } from '#roll-ups/seal-days.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';
import { until } from '#testing/until.ts';
import { cancelCleanup, orderCleanup } from './log-cleanup.ts';
import { Cleaner } from './log-cleaner.ts';
import { listLogs } from './log-queries.ts';

const DAY_S = 86_400;
const now = Math.floor(Date.now() / 1000);
const rows = 4000;
const first = now - 20 * DAY_S;
const at = (n: number): number => first + Math.floor((n * 20 * DAY_S) / rows);
const isNote = (n: number): boolean => n % 50 === 0;

onEveryDatabase('the clean-up of the log', (make) => {
  const hub = hubForSuite(make);
  let root: TestPerson;

  beforeAll(async () => {
    root = await addPerson(hub(), { role: role.root });
  });

  beforeEach(async () => {
    const { db } = hub().server.deps;
    for (const table of ['logs', 'log_cleanup', 'usage_days', 'usage_days_by_user', 'usage_days_by_channel'] as const)
      await db.deleteFrom(table).execute();
    const made = Array.from({ length: rows }, (_, n) =>
      logRow({
        request_id: `r${n}`,
        user_id: root.id,
        created_at: at(n),
        quota: n,
        ...(isNote(n) && { type: 1, model_name: '', channel_id: 0 }),
      }),
    );
    await insertLogs(db, made);
    await sealDays(db, now);
  });

  const clean = (target: number) => root.client.try(logCleanupApi.start, { query: { target_timestamp: target } });
  const progress = () => root.client.call(logCleanupApi.progress);
  async function ended(): Promise<LogCleanup> {
    return until('the clean-up has ended', async () => {
      const told = await progress();
      return told.state !== 'running' && told;
    });
  }
  const left = async (): Promise<number[]> => {
    const found = await hub().server.deps.db.selectFrom('logs').select('request_id').orderBy('id').execute();
    return found.map(({ request_id: id }) => Number(id.slice(1)));
  };
  const remaining = (target: number): number[] =>
    Array.from({ length: rows }, (_, n) => n).filter((n) => at(n) >= target || isNote(n));

  test('deletes the calls before a time, and nothing else', async () => {
    const totals = await root.client.call(logApi.totals);
    const target = now - 5 * DAY_S + 777;
    const total = rows - remaining(target).length;
    expect(await clean(target)).toMatchObject({ status: 200, body: { data: total } });
    expect(await ended()).toMatchObject({ state: 'done', target_timestamp: target, total, deleted: total });
    expect(await left()).toEqual(remaining(target));
    expect(await root.client.call(logApi.totals)).toEqual(totals);
  });

  test('deletes nothing at or after its target, however early or late that is', async () => {
    const { deps } = hub().server;
    const cleaner = new Cleaner(deps);
    const anywhere = fc.sample(fc.integer({ min: first, max: now }), 3);
    for (const target of [1, 2, DAY_S, first, first + 1, ...anywhere, now].toSorted((a, b) => a - b)) {
      // Not through the contract, which refuses the earliest.
      await orderCleanup(deps, target, root.id);
      cleaner.wake();
      expect(await ended()).toMatchObject({ state: 'done', target_timestamp: target });
      expect(await left(), `calls before ${target}`).toEqual(remaining(target));
    }
    await cleaner.stop();
  });

  test('leaves pages and counts right, wherever in an hour it stopped', async () => {
    for (const target of [now - 15 * DAY_S - 1234, now - 2 * DAY_S + 99]) {
      await clean(target);
      await ended();
      const ids = remaining(target).toReversed();
      for (let page = 1; (page - 1) * 100 < ids.length; page++) {
        const { data, total_count: count } = await root.client.call(logApi.list, { query: { page, size: 100 } });
        expect(data.map(({ request_id: id }) => Number(id.slice(1)))).toEqual(ids.slice((page - 1) * 100, page * 100));
        expect(count).toBe(ids.length);
      }
      // Model filters use the roll-ups, which still include deleted calls.
      const calls = ids.filter((n) => !isNote(n));
      const query = logQuery.parse({ model_name: 'gpt-4o', page: Math.ceil(calls.length / 100), size: 100 });
      const unhurried = { pageMs: Infinity, countMs: Infinity };
      const { data, total_count: count } = await listLogs(hub().server.deps.db, query, unhurried);
      expect(count).toBe(calls.length);
      expect(data.map(({ request_id: id }) => Number(id.slice(1)))).toEqual(calls.slice((query.page - 1) * 100));
    }
  });

  test('finds what was written late, and what a later order has to delete', async () => {
    const target = now - 10 * DAY_S;
    await clean(target);
    await ended();
    const late = logRow({ request_id: 'r9999', user_id: root.id, created_at: target - 3 * DAY_S, model_name: 'late' });
    await hub().server.deps.db.insertInto('logs').values(late).execute();
    const query = { model_name: 'late' };
    expect(await root.client.call(logApi.list, { query })).toMatchObject({
      total_count: 1,
      data: [{ model_name: 'late' }],
    });
    expect((await clean(target)).body).toMatchObject({ data: 1 });
    expect(await ended()).toMatchObject({ state: 'done', deleted: 1 });
    expect(await left()).toEqual(remaining(target));
  });

  describe('one at a time', () => {
    const running = (more: object) =>
      hub()
        .server.deps.db.insertInto('log_cleanup')
        .values({
          id: 1,
          target_timestamp: now - 10 * DAY_S,
          state: 'running',
          total: 5,
          deleted: 2,
          cleaned_before: 0,
          actor_id: root.id,
          node: 'another',
          started_time: now - 60,
          seen_time: now,
          ended_time: 0,
          ...more,
        })
        .execute();

    /** A cleaner, and what `interrupt` resolves with, which is called while the first batch is being deleted. */
    function interrupted<T>(interrupt: (cleaner: Cleaner) => Promise<T>): Promise<[Cleaner, T]> {
      const { deps } = hub().server;
      return new Promise((resolve, reject) => {
        let isFirst = true;
        const db = deps.db.withPlugin({
          transformQuery({ node }) {
            const deletesCalls = node.kind === 'DeleteQueryNode' && JSON.stringify(node.from).includes('"logs"');
            if (deletesCalls && isFirst) {
              isFirst = false;
              interrupt(cleaner).then((result) => resolve([cleaner, result]), reject);
            }
            return node;
          },
          transformResult: ({ result }) => Promise.resolve(result),
        });
        const cleaner = new Cleaner({ ...deps, db, nodeId: 'a-third' });
        cleaner.wake();
      });
    }

    test('another is refused until the first has ended or was cancelled', async () => {
      await running({ seen_time: now + 3600 });
      expect(await clean(now - DAY_S)).toMatchObject({ status: 409, body: { code: 'log.cleanup_running' } });
      expect(await progress()).toMatchObject({ state: 'running', total: 5, deleted: 2, ended_time: 0 });
      expect(await root.client.call(logCleanupApi.cancel)).toMatchObject({ state: 'cancelled', deleted: 2 });
      expect(await left()).toHaveLength(rows);
      expect((await clean(now - DAY_S)).status).toBe(200);
      expect(await ended()).toMatchObject({ state: 'done' });
    });

    test('what a stopped node left is taken up', async () => {
      const { deps } = hub().server;
      await running({ seen_time: now - 31, cleaned_before: at(100) });
      const cleaner = new Cleaner({ ...deps, nodeId: 'a-third' });
      cleaner.wake();
      expect(await ended()).toMatchObject({ state: 'done' });
      await cleaner.stop();
      expect(await left()).toEqual(remaining(now - 10 * DAY_S));
    });

    test('a node that stops leaves the rest to be taken up at once', async () => {
      const { deps } = hub().server;
      await running({ seen_time: 0 });
      await interrupted((cleaner) => cleaner.stop());
      expect(await progress()).toMatchObject({ state: 'running' });
      const some = (await left()).length;
      expect(some).toBeLessThan(rows);
      expect(some).toBeGreaterThan(remaining(now - 10 * DAY_S).length);
      const other = new Cleaner({ ...deps, nodeId: 'a-fourth' });
      other.wake();
      expect(await ended()).toMatchObject({ state: 'done' });
      await other.stop();
      expect(await left()).toEqual(remaining(now - 10 * DAY_S));
    });

    test('a cancelled one stops, and says how far it came', async () => {
      await running({ seen_time: 0, total: rows, deleted: 0 });
      const [cleaner, told] = await interrupted(() => cancelCleanup(hub().server.deps));
      expect(told).toMatchObject({ state: 'cancelled' });
      await cleaner.stop();
      expect((await left()).length).toBe(rows - told.deleted);
      expect(told.deleted).toBeGreaterThan(0);
      expect(told.deleted).toBeLessThan(remaining(0).length - remaining(now - 10 * DAY_S).length);
    });
  });

  test('is for the super administrator', async () => {
    const { client } = await addPerson(hub(), { role: role.admin });
    expect(await client.try(logCleanupApi.start, { query: { target_timestamp: now } })).toMatchObject({ status: 403 });
    expect(await left()).toHaveLength(rows);
  });

  test.each([
    [{ target_timestamp: now + 3600 }, 400, 'log.cleanup_future'],
    [{ target_timestamp: 0 }, 400, 'input.invalid'],
    [{ target_timestamp: 1 }, 400, 'input.invalid'],
    [{ target_timestamp: DAY_S - 1 }, 400, 'input.invalid'],
    [{ target_timestamp: now * 1000 }, 400, 'input.invalid'],
    [{}, 400, 'input.invalid'],
  ])('refuses %o', async (query, status, code) => {
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
    expect(await root.client.send('DELETE', `/api/log/?${search.toString()}`)).toMatchObject({
      status,
      body: { code, field: 'target_timestamp' },
    });
    expect(await progress()).toMatchObject({ state: 'none' });
  });
});
