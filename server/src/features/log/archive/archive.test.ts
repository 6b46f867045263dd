import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { logApi, logArchiveApi, logCleanupApi, logType, optionApi, role } from '@relay-hub/contract';
import { type KyselyPlugin, sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { isPostgres } from '#db/dialect-differences.ts';
import { keepMonths, monthOf, monthsBefore } from '#db/log-months.ts';
import type { Deps } from '#deps.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';
import { until } from '#testing/until.ts';
import { Cleaner } from '../log-cleaner.ts';
import { cancelCleanup, orderCleanup } from '../log-cleanup.ts';
import { archiveFolder } from './archive-parts.ts';
import { readCalls } from './parquet-calls.ts';

const DAY_S = 86_400;
const now = Math.floor(Date.now() / 1000);
/** Months that are over, the last of them exactly. */
const [first = 0, second = 0, target = 0] = [-2, -1, 0].map((later) => monthOf(now, later));

onEveryDatabase('archives of the log', (make) => {
  const hub = hubForSuite(make);
  let root: TestPerson;
  const deps = (): Deps => hub().server.deps;
  const set = (key: string, value: string) => root.client.call(optionApi.set, { body: { key, value } });

  beforeAll(async () => {
    root = await addPerson(hub(), { role: role.root });
    await set('LogArchiveEnabled', 'true');
  });

  beforeEach(async () => {
    for (const table of ['logs', 'log_cleanup', 'log_archives'] as const) await deps().db.deleteFrom(table).execute();
    await rm(archiveFolder(deps()), { recursive: true, force: true });
  });

  const call = (n: number, created_at: number, more: Partial<Parameters<typeof logRow>[0]> = {}) =>
    logRow({ request_id: `call-${n}`, user_id: root.id, created_at, quota: n * 7, ...more });

  /** Calls of two months and of this one, with values of every kind. */
  async function addCalls(count: number): Promise<void> {
    const from = Math.floor((target - first) / count);
    const calls = Array.from({ length: count }, (_, n) =>
      call(n, first + n * from - (n % 3), {
        model_name: ['gpt-4o', 'claude', '模型'][n % 3] ?? '',
        failed: n % 5 === 0,
        is_stream: n % 2 === 0,
        cost: n % 4 === 0 ? null : n * 9000,
        source_ip: `10.0.0.${n % 7}`,
        token_name: n % 11 === 0 ? '' : 'main',
        content: n % 13 === 0 ? '"a", b\n=1' : '',
        metadata: n % 6 === 0 ? null : JSON.stringify({ group_name: 'default', first_response: n, error: `“${n}”` }),
      }),
    );
    const note = call(count, first + 5, { type: logType.topup, model_name: '', channel_id: 0 });
    await insertLogs(deps().db, [...calls, note, call(count + 1, target + 1)]);
  }

  const inLog = async (): Promise<string[]> =>
    (await deps().db.selectFrom('logs').select('request_id').orderBy('id').execute()).map((row) => row.request_id);
  const files = async (): Promise<string[]> => {
    const names = await readdir(archiveFolder(deps())).catch(() => []); // nothing written yet
    return names.toSorted((a, b) => (a < b ? -1 : 1));
  };
  async function inFiles(): Promise<string[]> {
    const found: string[] = [];
    for (const name of (await files()).filter((one) => one.endsWith('.parquet')))
      for await (const calls of readCalls(path.join(archiveFolder(deps()), name)))
        found.push(...calls.map((one) => one.request_id));
    return found;
  }

  /** Runs cleaners until the clean-up has ended. */
  async function clean(): Promise<void> {
    await order();
    await finish();
  }
  /** As another node would have ordered it, which is silent. */
  async function order(before = target): Promise<void> {
    await orderCleanup(deps(), before, root.id);
    await deps().db.updateTable('log_cleanup').set({ seen_time: 0 }).execute();
  }
  async function finish(): Promise<void> {
    const cleaner = new Cleaner({ ...deps(), nodeId: 'a-second' });
    await deps().db.updateTable('log_cleanup').set({ seen_time: 0 }).execute();
    cleaner.wake();
    await until('the clean-up has ended', async () => (await progress()).state === 'done');
    await cleaner.stop();
  }
  const progress = () => root.client.call(logCleanupApi.progress);

  /** The same dependencies, with a look at each query. */
  function watched(look: (node: Parameters<KyselyPlugin['transformQuery']>[0]['node']) => void): Deps {
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        look(node);
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    const { storage, db } = deps();
    const patient = storage.patient.withPlugin(plugin);
    return {
      ...deps(),
      nodeId: 'a-first',
      db: db.withPlugin(plugin),
      storage: Object.create(storage, { patient: { value: patient } }),
    };
  }

  /** Every call is in the log or in a file, and after the clean-up in one of them. */
  async function survivesFaults(count: number): Promise<void> {
    await addCalls(count);
    const all = (await inLog()).toSorted();
    await order();
    let faults = 0;
    while ((await progress()).state !== 'done') {
      let left = faults;
      const cleaner = new Once(
        watched(() => {
          if (left-- === 0) throw new Error('a fault of the test');
        }),
      );
      await deps().db.updateTable('log_cleanup').set({ seen_time: 0 }).execute();
      await cleaner.once();
      const [log, archived] = [await inLog(), await inFiles()];
      expect([...new Set([...log, ...archived])].toSorted(), `after fault ${faults}`).toEqual(all);
      expect(archived).toHaveLength(new Set(archived).size);
      faults++;
    }
    expect(faults).toBeGreaterThan(15);
    expect([...(await inLog()), ...(await inFiles())].toSorted()).toEqual(all);
    expect(await progress()).toMatchObject({ state: 'done', deleted: count, error: '' });
    const { archives } = await root.client.call(logArchiveApi.list);
    expect(archives.map(({ file }) => file).toSorted()).toEqual(await files());
    expect(archives.map(({ month }) => month)).toEqual([second, first]);
  }

  test('a fault at any step loses and doubles no call', () => survivesFaults(40));

  test('the export has the same rows before and after, with any filter and in both orders', async () => {
    await addCalls(2100);
    const queries = [
      {},
      { order: 'created_at' },
      { model_name: '模*', stream: 1 },
      { failed: 1, source_ip: '10.0.0.3', order: 'created_at' },
      { losing: 1 },
      { request_id: 'call-77' },
      { username: root.username, token_name: 'main' },
      { log_type: logType.consume, channel_id: 1, start_timestamp: first + 3 * DAY_S, end_timestamp: target - DAY_S },
      { log_type: logType.topup },
    ];
    const exported = async () => {
      const texts = queries.map((query) => root.client.download(logApi.download, { query: { ...query, archived: 1 } }));
      return Promise.all(texts);
    };
    const before = await exported();
    await clean();
    expect(await inLog()).toHaveLength(2);
    // Rows that are no calls stay in the log, which comes first or last.
    const lines = (text: string) => text.split('\r\n').filter((line) => !line.includes(',Top-up,'));
    const after = await exported();
    for (const [n, query] of queries.entries()) {
      const [one, other] = [before[n] ?? '', after[n] ?? ''].map(lines);
      expect(other, JSON.stringify(query)).toEqual(one);
    }
    expect((await root.client.download(logApi.download)).split('\r\n')).toHaveLength(4);
  });

  test('an archive can be downloaded, and is what its sums say', async () => {
    await addCalls(30);
    const { calls, credits } = await deps()
      .db.selectFrom('logs')
      .where('type', '=', logType.consume)
      .where('created_at', '<', target)
      .select(({ fn }) => [fn.countAll<number>().as('calls'), fn.sum<number>('quota').as('credits')])
      .executeTakeFirstOrThrow();
    await clean();
    const { archives } = await root.client.call(logArchiveApi.list);
    expect(archives.reduce((sum, { rows }) => sum + rows, 0)).toBe(calls);
    expect(archives.reduce((sum, part) => sum + part.credits, 0)).toBe(credits);
    for (const { id, sha256, bytes, file } of archives) {
      const reply = await fetch(`${hub().url}/api/log/archives/${id}/file`, {
        headers: { cookie: root.client.cookie },
      });
      const content = Buffer.from(await reply.arrayBuffer());
      expect(reply.headers.get('content-disposition')).toContain(file);
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    }
    const [{ id, file, host } = { id: 0, file: '', host: '' }] = archives;
    await rename(path.join(archiveFolder(deps()), file), path.join(archiveFolder(deps()), 'elsewhere'));
    const refused = { status: 409, body: { code: 'log.archive_elsewhere' } };
    expect(await root.client.try(logArchiveApi.download, { params: { id } })).toMatchObject(refused);
    expect(await root.client.try(logApi.download, { query: { archived: 1 } })).toMatchObject(refused);
    expect((await root.client.call(logArchiveApi.list)).archives[0]).toMatchObject({ here: false, host });
    await deps().db.updateTable('log_archives').set({ state: 'written' }).where('id', '=', id).execute();
    expect(await root.client.try(logApi.download, { query: { archived: 1 } })).toMatchObject({
      status: 409,
      body: { code: 'log.archiving' },
    });
  });

  test('calls that are written meanwhile stay until they have a file of their own', async () => {
    await addCalls(30);
    const all = await inLog();
    let isLate = false;
    await order();
    const cleaner = new Once(
      watched((node) => {
        if (node.kind !== 'DeleteQueryNode' || !JSON.stringify(node.from).includes('"logs"') || isLate) return;
        isLate = true;
        throw new Error('a fault of the test');
      }),
    );
    await cleaner.once();
    expect(isLate).toBe(true);
    await insertLogs(deps().db, [call(99, first + DAY_S)]);
    await finish();
    expect([...(await inLog()), ...(await inFiles())].toSorted()).toEqual([...all, 'call-99'].toSorted());
    const { archives } = await root.client.call(logArchiveApi.list);
    expect(archives.map(({ month, part, rows }) => [month, part, rows])).toEqual([
      [second, 1, expect.any(Number)],
      [first, 2, 1],
      [first, 1, expect.any(Number)],
    ]);
  });

  test('a clean-up of fewer calls than a cancelled one has written deletes only these', async () => {
    await addCalls(40);
    const all = (await inLog()).toSorted();
    await order();
    await new Once(
      watched((node) => {
        if (node.kind === 'DeleteQueryNode' && JSON.stringify(node.from).includes('"logs"'))
          throw new Error('a fault of the test');
      }),
    ).once();
    await cancelCleanup(deps());
    const early = first + 10 * DAY_S;
    await order(early);
    await finish();
    const late = await deps().db.selectFrom('logs').where('created_at', '>=', early).select('id').execute();
    expect(await inLog()).toHaveLength(late.length + 1);
    await clean();
    expect([...(await inLog()), ...(await inFiles())].toSorted()).toEqual(all);
    expect((await root.client.call(logArchiveApi.list)).archives).toHaveLength(2);
  });

  test('what cannot be archived is not deleted, and the clean-up says why', async () => {
    await addCalls(30);
    const folder = archiveFolder(deps());
    await mkdir(path.dirname(folder), { recursive: true });
    await writeFile(folder, '');
    await order();
    await new Once({ ...deps(), nodeId: 'a-first' }).once();
    expect(await progress()).toMatchObject({ state: 'running', deleted: 0, error: expect.stringContaining(folder) });
    expect(await inLog()).toHaveLength(32);
    await rm(folder);
    await finish();
    expect(await progress()).toMatchObject({ deleted: 30, archived: 30, error: '' });
  });

  test('whole months of PostgreSQL are dropped at once, unless they have a call that is in no file', async () => {
    const { db, storage } = deps();
    if (!isPostgres(db)) return;
    await sql`alter table logs detach partition logs_old`.execute(db);
    await sql`alter table logs attach partition logs_old for values from (minvalue) to (${sql.lit(first)})`.execute(db);
    await keepMonths(storage.patient, now);
    await survivesFaults(40);
    expect((await monthsBefore(storage.patient, target))?.names ?? []).toEqual([]);
  });
});

class Once extends Cleaner {
  /** Works until it ends or fails. */
  async once(): Promise<void> {
    await this.run().catch(() => {}); // the fault of the test
  }
}
