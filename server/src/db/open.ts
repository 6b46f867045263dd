import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import { Damage } from './damage.ts';
import { MigrationError } from './migrate.ts';
import { Mutex } from './mutex.ts';
import { isDamage } from './outage.ts';
import { Connections, type Limits } from './postgres.ts';
import { SilenceWatch } from './silence-watch.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { SqliteThread } from './sqlite-thread.ts';
import type { Tables } from './tables.ts';
import type { BatchRunner } from '#quota/batch-items.ts';
import { runBatch } from '#quota/book-statements.ts';

/** An open database: queries for the management API, and the book's batches, each in one transaction. */
export interface Storage {
  db: Kysely<Tables>;
  /** The same without a limit of time: for what may take long, and nobody waits for. */
  patient: Kysely<Tables>;
  runBook: BatchRunner;
  /** Reads everything as it stands at one moment, on a connection of its own, without holding up anybody. */
  snapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** What the database has reported of itself while it was used. */
  damage: Damage;
  /**
   * Checks a file that is small, or that a process left without a clean stop; throws when it is damaged. `atMost`: files
   * of more bytes are passed over. Returns whether the file was checked or needs no check.
   */
  verify(atMost?: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens PostgreSQL when there is an address, else the SQLite file in the data directory. */
export function openStorage({ databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string }): Storage {
  return databaseUrl === undefined ? openSqlite(path.join(dataDir, 'relay-hub.db')) : openPostgres(databaseUrl);
}

/** Seldom: while one waits for the disk, commits do too. A log that grows faster is brought in by the writer itself. */
const CHECKPOINT_MS = 10_000;

function openSqlite(file: string): Storage {
  const unclean = sizeOf(`${file}-wal`) > 0;
  const damage = new Damage();
  // Made here, so that the reader finds a file however the threads start; and one that is no database stops the start.
  try {
    keepToOwner(file);
    const made = new DatabaseSync(file);
    made.exec('pragma journal_mode = wal');
    made.close();
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_CORRUPT) throw damagedFile(file, error);
    throw new MigrationError(`${file} cannot be used: ${(error as Error).message}. Nothing in it was changed.`);
  }
  const writer = new SqliteThread({ file, readOnly: false }, damage);
  const reader = new SqliteThread({ file, readOnly: true }, damage);
  const writing = new Mutex();
  const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, reader, writing }) });
  let dirty = false;
  const timer = setInterval(() => {
    if (!dirty) return;
    dirty = false;
    // One that fails, or finds the log in use, is made up for by the next.
    reader.checkpoint().catch(() => {});
  }, CHECKPOINT_MS).unref();
  return {
    db,
    patient: db,
    async runBook(batch) {
      const release = await writing.take();
      dirty = true;
      try {
        return await writer.batch(batch);
      } finally {
        release();
      }
    },
    damage,
    async verify(atMost = Infinity) {
      const size = sizeOf(file) + sizeOf(`${file}-wal`);
      if (!unclean && size > CHECKED_ALWAYS) return true;
      if (size > atMost) return false;
      // A limit means that a start waits for it, so the reader has nothing else to do.
      const thread = atMost === Infinity ? new SqliteThread({ file, readOnly: true }, damage) : reader;
      try {
        const { rows } = await thread.query('pragma quick_check(1)', []);
        const [found] = Object.values(rows[0] ?? {});
        // As SQLite reports it when a query meets it.
        if (found !== 'ok')
          throw Object.assign(new Error(String(found).replaceAll(/\s+/g, ' ')), { errcode: SQLITE_CORRUPT });
        return true;
      } catch (error) {
        damage.note(error);
        throw isDamage(error) ? damagedFile(file, error) : error;
      } finally {
        if (thread !== reader) await thread.close();
      }
    },
    async snapshot(read) {
      const thread = new SqliteThread({ file, readOnly: true }, damage);
      try {
        await thread.query('begin', []);
        const one = sqliteDialect({ writer: thread, reader: thread, writing: new Mutex() });
        return await read(new Kysely<Tables>({ dialect: one }));
      } finally {
        await thread.close();
      }
    },
    async close() {
      clearInterval(timer);
      await db.destroy();
      // The writer last: only a connection that may write brings the log into the file and removes it.
      await reader.close();
      await writer.close();
    },
  };
}

const SQLITE_CORRUPT = 11;
/** Files up to this size are checked at every start, which takes less than a tenth of a second. */
const CHECKED_ALWAYS = 16 * 1024 * 1024;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Why a start must not go on with a damaged file, and what an operator can do. */
export const damagedFile = (file: string, error: unknown): MigrationError =>
  new MigrationError(
    `${file} is damaged (SQLite: ${(error as Error).message}). Restore it from a backup, with no ${path.basename(file)}-wal ` +
      `or -shm file of another copy beside it. Nothing was changed.`,
  );

/** Makes the file, if need be, and lets nobody but its owner read it; SQLite gives its log the same rights. */
function keepToOwner(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if (existsSync(each)) chmodSync(each, 0o600);
    } catch {
      // It belongs to somebody else, who may have had a reason.
    }
  }
}

/** What a call waits for: few at a time, and none for long. */
const bookLimits = { connections: 3, statementMs: 8_000 };
/** What a page waits for, and callers who are not known yet. */
const pageLimits = { connections: 12, statementMs: 15_000 };
/** What nobody waits for, and grows with the tables. */
const patientLimits = { connections: 3, statementMs: 3_600_000 };

function openPostgres(connectionString: string): Storage {
  const watch = new SilenceWatch(connectionString);
  const damage = new Damage();
  const book = new Connections(connectionString, bookLimits, watch, damage);
  const kyselyOn = (limits: Limits) =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: async () => new Connections(connectionString, limits, watch, damage) }),
    });
  const db = kyselyOn(pageLimits);
  const patient = kyselyOn(patientLimits);
  return {
    db,
    patient,
    async runBook(batch) {
      const connection = await book.connect();
      try {
        await connection.query('begin', []);
        const results = await runBatch(
          async (text, values) => (await connection.query<Row>(text, values, nameOf(text))).rows,
          batch,
          ' for update',
        );
        await connection.query('commit', []);
        connection.release();
        return results;
      } catch (error) {
        // A connection that could not even roll back is of no more use.
        await connection.query('rollback', []).then(
          () => connection.release(),
          () => connection.release(true),
        );
        throw error;
      }
    },
    damage,
    verify: async () => true,
    snapshot: (read) =>
      patient.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read),
    async close() {
      watch.close();
      await Promise.all([db.destroy(), patient.destroy(), book.end()]);
    },
  };
}

type Row = Record<string, unknown>;

const names = new Map<string, string>();

/** Named statements are parsed once per connection. The book's texts are few and fixed. */
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) names.set(sql, (name = `book_${names.size}`));
  return name;
}
