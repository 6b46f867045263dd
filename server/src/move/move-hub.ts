import { existsSync, readFileSync, renameSync } from 'node:fs';
import { copyFile, cp } from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as rest } from 'node:timers/promises';
import type { BooksReport } from '@relay-hub/contract';
import { sql, type Kysely } from 'kysely';
import { replayRestored } from '#backup/replay-restored.ts';
import { KEY_FILE, SQLITE_FILE } from '#backup/manifest.ts';
import { ConfigError } from '#config.ts';
import { databaseTime, isPostgres } from '#db/dialect-differences.ts';
import { migrate } from '#db/migrate.ts';
import { openStorage, type Storage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { checkBooks } from '#features/books/check-books.ts';
import { livingNodes } from '#jobs/open-calls.ts';
import { commandLine } from '#process/command-line.ts';
import { makeFolder } from '#process/atomic-file.ts';
import { journalFolder } from '#quota/journal.ts';
import { DATABASE_ID, databaseIdOf, keepDatabase } from '#start/database-identity.ts';
import { lockFolder } from '#start/folder-lock.ts';
import { MOVED, readMoveMark, writeMoveMark } from '#start/moved.ts';
import { select, TableCopy } from './copy-table.ts';
import { MoveError } from './move-error.ts';
import { beginFilling, continueIds, makeAgain } from './new-schema.ts';
import { shapesOf, type TableShape } from './table-shapes.ts';
import { sumsOf } from './table-sums.ts';

/** Where an installation is. */
export interface Place {
  dataDir: string;
  /** Undefined: SQLite in the folder. */
  databaseUrl: string | undefined;
}

export interface MoveOptions {
  /** Whether both sides are checked as the command `books` does. */
  books: boolean;
  tell(line: string): void;
  /** Called while calls go on, until they have ended. */
  onServing?(): void;
  onPage?(table: string, rows: number): void;
  /** Most rows that are written at once. */
  pageRows?: number;
}

export interface Moved {
  rows: number;
  /** Reports of the old and the new database; undefined if they were not wanted. */
  books: { before: BooksReport; after: BooksReport } | undefined;
}

const PAGE_ROWS = 2000;
const LOOK_MS = 500;

/**
 * Moves an installation to another database, while its server runs or not. What can be copied while calls go on is
 * copied first; the rest follows when the server has ended. From then on the old database refuses servers, and the new
 * one does so until it is complete. A move that was broken off goes on where it was. Throws `MoveError`.
 */
export async function moveHub(from: Storage, source: Place, target: Place, options: MoveOptions): Promise<Moved> {
  await refuseSource(from, target);
  const to = await openTarget(from, source, target);
  let lock: { release(): void } | undefined;
  try {
    const shapes = await commonShapes(from, to);
    const work = { from, to, pageRows: options.pageRows ?? PAGE_ROWS, onPage: options.onPage ?? (() => {}) };
    const begun = await freeze(from, source, target);
    if (begun) lock = begun;
    else {
      options.tell('The server is running. What is there is copied while calls go on.');
      await copyAll(shapes, { ...work, move: '' }, options.tell);
      await makeAgain(to.patient, 'index');
      options.tell(
        'Stop the server now; the rest follows when it has ended. Ctrl+C ends this, and a later run goes on.',
      );
      lock = await untilFrozen(from, source, target, options);
      options.tell('The server has ended. From now on the old database refuses to be started.');
    }
    await replayRestored(from, source.dataDir);
    const mark = await readMoveMark(from.db);
    const rows = await copyAll(shapes, { ...work, move: mark?.id ?? '' }, options.tell);
    await complete(from, to, shapes);
    if (target.databaseUrl === undefined && target.dataDir !== source.dataDir) await copyFiles(source, target);
    const books = options.books ? await compareBooks(from, to, source, options) : undefined;
    await switchOver(from, to, target);
    return { rows, books };
  } finally {
    lock?.release();
    await to.close();
  }
}

/** Lets a database be used again that was moved away. Returns where it was moved to; undefined: it was not. */
export async function takeBack(from: Storage): Promise<string | undefined> {
  const mark = await readMoveMark(from.db);
  if (!mark) return undefined;
  if (mark.state === 'arriving')
    throw new MoveError(`This database is an incomplete copy of ${mark.other}. Delete it, or complete the move.`);
  await from.db.deleteFrom('options').where('key', '=', MOVED).execute();
  return mark.other;
}

/** The place without a password. */
export function placeName({ databaseUrl, dataDir }: Place): string {
  if (databaseUrl === undefined) return path.join(dataDir, SQLITE_FILE);
  const { host, pathname } = new URL(databaseUrl);
  return `postgres://${host}${pathname}`;
}

async function refuseSource(from: Storage, target: Place): Promise<void> {
  const mark = await readMoveMark(from.db);
  // The last step marks the old database first, and may have been broken off then.
  if (mark === undefined || (mark.state !== 'arriving' && mark.other === placeName(target))) return;
  if (mark.state === 'arriving')
    throw new MoveError(`The database is an incomplete copy of ${mark.other}: complete that move first.`);
  throw new MoveError(
    `The database ${mark.state === 'left' ? 'was moved' : 'is being moved'} to ${mark.other}. ` +
      `\`${commandLine('move', '--take-back')}\` gives that up.`,
  );
}

/** Opens the new database, and prepares it if this is the first run. */
async function openTarget(from: Storage, source: Place, target: Place): Promise<Storage> {
  // Throws for a folder of another database, whose journals would be the wrong ones.
  await keepDatabase(from.db, source.dataDir);
  const id = (await databaseIdOf(from.db)) ?? '';
  if (target.databaseUrl === undefined) prepareFolder(source, target);
  const to = openStorage(target);
  try {
    const tables = await to.db.introspection.getTables({ withInternalKyselyTables: true }).catch((error: unknown) => {
      throw new MoveError(`The new database cannot be used: ${error instanceof Error ? error.message : ''}.`);
    });
    if (tables.length === 0) {
      await migrate(to.patient);
      await to.patient.transaction().execute(async (trx) => {
        await beginFilling(trx);
        await trx.insertInto('options').values({ key: DATABASE_ID, value: id }).execute();
        const time = await timeOf(trx);
        await writeMoveMark(trx, { state: 'arriving', id: '', other: placeName(source), time });
      });
    } else if (
      !tables.some(({ name }) => name === 'move_pages') ||
      (await readMoveMark(to.db))?.state !== 'arriving' ||
      (await databaseIdOf(to.db)) !== id
    )
      throw new MoveError(`${placeName(target)} is not empty: it has ${tables.length} tables. Move into a new one.`);
    // Throws for a folder of another installation.
    if (target.databaseUrl === undefined) await keepDatabase(to.db, target.dataDir);
    // Rows of a table come before those that they refer to.
    if (!isPostgres(to.db)) await sql`pragma foreign_keys = off`.execute(to.db);
    return to;
  } catch (error) {
    await to.close();
    throw error;
  }
}

/** Makes the folder; a database there that was moved away is renamed. */
function prepareFolder(source: Place, { dataDir }: Place): void {
  if (source.databaseUrl === undefined && source.dataDir === dataDir)
    throw new MoveError('The database is in this folder already.');
  makeFolder(dataDir);
  const file = path.join(dataDir, SQLITE_FILE);
  if (!existsSync(file) || !hasLeft(file)) return;
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (const suffix of ['-wal', '-shm', ''])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${file}.moved-${stamp}${suffix}`);
}

function hasLeft(file: string): boolean {
  const db = new DatabaseSync(file);
  try {
    const row = db.prepare('select value from options where key = ?').get(MOVED);
    return typeof row?.['value'] === 'string' && row['value'].includes('"left"');
  } catch {
    // Not a database of Relay Hub; opening it will say so.
    return false;
  } finally {
    db.close();
  }
}

async function commonShapes(from: Storage, to: Storage): Promise<TableShape[]> {
  const [before, after] = [await shapesOf(from.db), await shapesOf(to.db)];
  for (const [name, shape] of before) {
    const columns = Object.keys(after.get(name)?.columns ?? {}).toSorted();
    if (columns.join() !== Object.keys(shape.columns).toSorted().join())
      throw new MoveError(`The table ${name} of the old database differs from the one that this version makes.`);
  }
  return [...before.values()];
}

/**
 * Ends calls on the old database: takes its folder, and marks it, if no process uses it. Returns undefined while one
 * does. A server that starts at the same time finds the mark after it has registered.
 */
async function freeze(from: Storage, source: Place, target: Place): Promise<{ release(): void } | undefined> {
  const lock = source.databaseUrl === undefined ? tryLock(source.dataDir) : { release: () => {} };
  if (!lock) return undefined;
  const isAlive = await livingNodes(from.db);
  const isFree = await from.patient.transaction().execute(async (trx) => {
    if (isPostgres(trx)) await sql`lock table nodes in exclusive mode`.execute(trx);
    if ((await trx.selectFrom('nodes').selectAll().execute()).some(isAlive)) return false;
    const mark = await readMoveMark(trx);
    if (!mark) {
      const time = await timeOf(trx);
      await writeMoveMark(trx, { state: 'leaving', id: randomUUID(), other: placeName(target), time });
    }
    return true;
  });
  if (isFree) return lock;
  lock.release();
  return undefined;
}

async function untilFrozen(
  from: Storage,
  source: Place,
  target: Place,
  { onServing }: MoveOptions,
): Promise<{ release(): void }> {
  for (;;) {
    onServing?.();
    const lock = await freeze(from, source, target);
    if (lock) return lock;
    await rest(LOOK_MS);
  }
}

function tryLock(dataDir: string): { release(): void } | undefined {
  try {
    return lockFolder(dataDir);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Copies all tables. Returns the number of rows that were read. */
async function copyAll(
  shapes: readonly TableShape[],
  work: Parameters<typeof TableCopy.open>[1],
  tell: (line: string) => void,
): Promise<number> {
  let rows = 0;
  const startedMs = performance.now();
  for (const shape of shapes) {
    const beganMs = performance.now();
    const copy = await TableCopy.open(shape, work);
    await copy.run();
    rows += copy.rows;
    if (copy.rows > 0) tell(`${shape.name}: ${took(copy.rows, performance.now() - beganMs)}`);
  }
  tell(`all tables: ${took(rows, performance.now() - startedMs)}`);
  return rows;
}

function took(rows: number, ms: number): string {
  const each = rows < 1000 ? '' : `, ${Math.round((ms * 1000) / rows)} s per million`;
  return `${rows} rows in ${(ms / 1000).toFixed(1)} s${each}`;
}

/** Makes what filling did without, and compares every table. */
async function complete(from: Storage, to: Storage, shapes: readonly TableShape[]): Promise<void> {
  await makeAgain(to.patient, 'index');
  await makeAgain(to.patient, 'constraint');
  const broken = isPostgres(to.db) ? [] : await select<{ table: string }>(to.db, 'pragma foreign_key_check');
  if (broken.length > 0) throw new MoveError(`Rows of ${broken[0]?.table} refer to rows that are not there.`);
  await continueIds(from.patient, to.patient);
  for (const shape of shapes) {
    const [before, after] = await Promise.all([sumsOf(from.patient, shape), sumsOf(to.patient, shape)]);
    const differing = Object.keys(before).find((name) => before[name] !== after[name]);
    if (differing === undefined) continue;
    await select(to.patient, 'delete from move_pages where name = $1', [shape.name]);
    throw new MoveError(
      `${shape.name}.${differing} differs: ${before[differing]} in the old database, ${after[differing]} in the new one. ` +
        'Run the command again: it copies this table anew.',
    );
  }
  if (isPostgres(to.db)) await sql`analyze`.execute(to.patient);
}

/** Stored files belong to the folder, not to the database. */
async function copyFiles(source: Place, target: Place): Promise<void> {
  const [from, to] = [source.dataDir, target.dataDir];
  for (const name of ['media', path.basename(journalFolder(from))])
    if (existsSync(path.join(from, name)))
      await cp(path.join(from, name), path.join(to, name), { recursive: true, force: false });
  const key = path.join(from, KEY_FILE);
  if (!existsSync(key)) return;
  const kept = path.join(to, KEY_FILE);
  if (existsSync(kept) && readFileSync(kept, 'utf8') !== readFileSync(key, 'utf8'))
    throw new MoveError(`${kept} is another key than ${key}.`);
  await copyFile(key, kept);
}

async function compareBooks(
  from: Storage,
  to: Storage,
  source: Place,
  { tell }: MoveOptions,
): Promise<{ before: BooksReport; after: BooksReport }> {
  tell('Checking the books of both …');
  const folder = journalFolder(source.dataDir);
  const [before, after] = await Promise.all([
    checkBooks(from, folder, { full: true }),
    checkBooks(to, folder, { full: true }),
  ]);
  const facts = ({ users, entries, rows, held, checks }: BooksReport) =>
    JSON.stringify([
      users,
      entries,
      rows,
      held,
      checks.map(({ check, compared, differing }) => [check, compared, differing]),
    ]);
  if (facts(before) !== facts(after))
    throw new MoveError('The books of the two databases differ. The old one stays marked; the new one is not used.');
  return { before, after };
}

/** At no moment can a server be started on both. */
async function switchOver(from: Storage, to: Storage, target: Place): Promise<void> {
  const mark = await readMoveMark(from.db);
  if (!mark) throw new MoveError('The mark of the old database is gone: another command took it back.');
  await writeMoveMark(from.db, { ...mark, state: 'left', other: placeName(target) });
  await to.patient.transaction().execute(async (trx) => {
    await trx.deleteFrom('options').where('key', '=', MOVED).execute();
    await trx.schema.dropTable('move_pages').execute();
    await trx.schema.dropTable('move_definitions').execute();
  });
}

async function timeOf(db: Kysely<Tables>): Promise<number> {
  const { time } = await db.selectNoFrom(() => databaseTime(db).as('time')).executeTakeFirstOrThrow();
  return time;
}
