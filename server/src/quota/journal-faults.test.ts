import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStorage, type Storage } from '#db/open.ts';
import { script as bookScript } from './book-statements.ts';
import type { Tables } from '#db/tables.ts';
import { bookOf, callOf, folderForSuite, NOW, settlementOf } from '#testing/book-items.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { type EmptyDatabase, onEveryDatabase } from '#testing/databases.ts';
import type { BatchRunner, SettleItem } from './batch-items.ts';
import { type Book, type Hold, isHold } from './book.ts';
import { Journal, readJournal, refusedIn } from './journal.ts';
import { replay } from './replay.ts';

onEveryDatabase('journals that something is wrong with', (make) => {
  const folder = folderForSuite();
  let database: EmptyDatabase;
  let storage: Storage;
  let db: Kysely<Tables>;
  let who: TestCaller;
  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
    db = storage.db;
    who = await addCaller(db, { quota: 1_000_000 });
  });
  afterAll(async () => {
    await storage?.close();
    await database?.remove();
  });

  async function admitted(book: Book, requestId: string): Promise<Hold> {
    const hold = await book.reserve(callOf(requestId, who, 100));
    if (!isHold(hold)) throw new Error('refused');
    return hold;
  }
  const settlement = (requestId: string, seq: number, more: Partial<SettleItem> = {}): SettleItem => {
    const covers = { user: { take: 0, back: 0 }, token: null };
    return {
      kind: 'settle',
      seq,
      userId: who.userId,
      tokenId: who.tokenId,
      ...covers,
      ...settlementOf(requestId, 10),
      ...more,
    };
  };
  const needs = () => ({ db, run: storage.prepare(bookScript), folder, now: () => NOW });
  const idsOf = async () => (await rowsOf(db, who)).map((row) => row.request_id);

  test('a file truncated while in use loses its settlements, and no later ones', async () => {
    let away = false;
    const run: BatchRunner = (batch) => (away ? Promise.reject(new Error('away')) : storage.prepare(bookScript)(batch));
    const book = bookOf(storage, folder, 'cut', run);
    const holds = [await admitted(book, 'cut-1'), await admitted(book, 'cut-2'), await admitted(book, 'after-1')];
    away = true;
    for (const hold of holds.slice(0, 2)) await book.settle(hold, settlementOf(hold.call.requestId, 10));
    for (const file of readJournal(folder, 'cut').files) truncateSync(file);
    away = false;
    await expect.poll(() => book.waiting, { message: 'settlements not written' }).toBe(0);
    await book.settle(holds[2]!, settlementOf('after-1', 10));
    await book.settle(await admitted(book, 'after-2'), settlementOf('after-2', 10));
    await expect.poll(idsOf, { message: 'rows in the database' }).toEqual(['after-1', 'after-2']);
    expect(await book.close()).toBe(true);
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
    await expectBooksBalance(db);
  });

  test('a dead process’s settlement that the database refuses is set aside, and does not block a start', async () => {
    const journal = new Journal(folder, 'odd');
    for (const id of ['odd-1', 'odd-2', 'odd-3', 'odd-open']) journal.open({ ...callOf(id, who, 100) });
    journal.settle(settlement('odd-1', 1));
    const { log } = settlementOf('', 0);
    journal.settle(settlement('odd-2', 2, { log: { ...log, model: null as unknown as string } }));
    journal.settle(settlement('odd-3', 3));
    journal.write();
    const before = (await userOf(db, who)).used_quota;
    expect(await replay(needs(), 'odd')).toEqual({ settled: 3, released: 1, refused: 1 });
    expect((await userOf(db, who)).used_quota).toBe(before + 20);
    expect((await idsOf()).slice(-3)).toEqual(['odd-1', 'odd-3', 'odd-open']);
    expect(refusedIn(folder)).toBe(1);
    expect(readJournal(folder, 'odd').files).toEqual([]);
    await expectBooksBalance(db);
  });

  test('an open call that cannot be released does not block a start', async () => {
    const journal = new Journal(folder, 'unreleased');
    journal.open(callOf('release-1', who, 100));
    journal.open({ ...callOf('release-2', who, 100), model: null as unknown as string });
    journal.write();
    expect(await replay(needs(), 'unreleased')).toMatchObject({ refused: 1 });
    expect((await idsOf()).at(-1)).toBe('release-1');
    expect(readJournal(folder, 'unreleased').files).toEqual([]);
    await expectBooksBalance(db);
  });

  test('an unreachable database does not count as a refusal', async () => {
    const journal = new Journal(folder, 'away');
    journal.open(callOf('away-1', who, 100));
    journal.settle(settlement('away-1', 1));
    journal.write();
    const run: BatchRunner = () => Promise.reject(new Error('away'));
    const before = refusedIn(folder);
    await expect(replay({ ...needs(), run }, 'away')).rejects.toThrow('away');
    expect(refusedIn(folder)).toBe(before);
    expect(await replay(needs(), 'away')).toEqual({ settled: 1, released: 0, refused: 0 });
  });

  test('a call settled from memory, without a journal line, is not released too', async () => {
    const journal = new Journal(folder, 'full');
    journal.open(callOf('full-1', who, 100));
    journal.write();
    await storage.prepare(bookScript)({ node: 'full', items: [settlement('full-1', 1)], lines: [] });
    appendFileSync(readJournal(folder, 'full').files[0]!, '{"kind":"sett');
    expect(await replay(needs(), 'full')).toEqual({ settled: 0, released: 0, refused: 0 });
    expect((await idsOf()).filter((id) => id === 'full-1')).toHaveLength(1);
    await expectBooksBalance(db);
  });

  test('a node that was presumed dead and wakes up replaces the rows of the calls that were released', async () => {
    const callsOf = async () => (await userOf(db, who)).request_count;
    const before = await callsOf();
    const book = bookOf(storage, folder, 'frozen');
    const holds = [
      await admitted(book, 'frozen-1'),
      await admitted(book, 'frozen-2'),
      await admitted(book, 'frozen-3'),
    ];
    await book.settle(holds[0]!, settlementOf('frozen-1', 10));
    await book.caughtUp();
    // Two processes find the same silent node.
    await Promise.all([replay(needs(), 'frozen'), replay(needs(), 'frozen')]);
    expect((await idsOf()).filter((id) => id.startsWith('frozen'))).toEqual(['frozen-1', 'frozen-2', 'frozen-3']);
    book.renewJournal();
    await book.settle(holds[1]!, settlementOf('frozen-2', 10));
    await book.settle(await admitted(book, 'frozen-4'), settlementOf('frozen-4', 10));
    await book.settle(holds[2]!, settlementOf('frozen-3', 0, { failed: true }));
    expect(await book.close()).toBe(true);
    const rows = (await rowsOf(db, who)).filter((row) => row.request_id.startsWith('frozen'));
    expect(rows.map(({ request_id, quota, failed }) => [request_id, quota, failed].join(' ')).toSorted()).toEqual([
      'frozen-1 10 false',
      'frozen-2 10 false',
      'frozen-3 0 true',
      'frozen-4 10 false',
    ]);
    expect(rows.map(({ metadata }) => metadata?.outcome)).not.toContain('released');
    expect(await callsOf()).toBe(before + 4);
    await expectBooksBalance(db);

    // Presumed dead once more, its new calls are released as those of any other node.
    const journal = new Journal(folder, 'frozen');
    journal.open(callOf('frozen-5', who, 100));
    journal.write();
    expect(await replay(needs(), 'frozen')).toEqual({ settled: 0, released: 1, refused: 0 });
    expect((await rowsOf(db, who)).at(-1)).toMatchObject({ request_id: 'frozen-5', metadata: { outcome: 'released' } });
    await expectBooksBalance(db);
  });
});

test('without a file descriptor for the next file, the journal continues in the current one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-journal-'));
  const program = `
    import { openSync, closeSync } from 'node:fs';
    import { Journal } from ${JSON.stringify(new URL('journal.ts', import.meta.url).href)};
    const journal = new Journal(process.argv[1], 'short');
    const write = (count) => {
      for (let i = 0; i < count; i++)
        journal.open({ requestId: 'r'.repeat(4000), userId: 1, tokenId: 1, reserved: 1, priceVersion: 1, model: 'm' });
      journal.write();
    };
    write(1);
    const taken = [];
    try { for (;;) taken.push(openSync('/dev/null', 'r')); } catch {}
    for (let i = 0; i < 5; i++) write(600);
    for (const file of taken) closeSync(file);
    write(1);
    process.stdout.write('done');`;
  const limited = [
    '-c',
    'ulimit -n 64 && exec "$0" --input-type=module -e "$1" "$2"',
    process.execPath,
    program,
    folder,
  ];
  const { stdout } = await promisify(execFile)('sh', limited);
  expect(stdout).toBe('done');
  const files = readdirSync(folder).filter((name) => name.endsWith('.calls'));
  expect(files).toHaveLength(2);
  const lines = files.map((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').length - 1);
  expect(lines.toSorted((a, b) => a - b)).toEqual([1, 3001]);
  rmSync(folder, { recursive: true });
});
