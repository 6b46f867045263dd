import { asError, sqliteCodeOf } from '#caught-error.ts';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Damage } from './damage.ts';
import { MigrationError } from './migrate.ts';
import { Mutex } from './mutex.ts';
import { isDamage, isLocked } from './outage.ts';
import { PostgresConnections, type Limits } from './postgres.ts';
import { SilenceWatch } from './silence-watch.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { SqliteThread } from './sqlite-thread.ts';
import type { Tables } from './tables.ts';
import type { SqlRow, TransactionScript } from './transaction-script.ts';

/** An open database: Kysely for the management API, and prepared scripts, each run in one transaction. */
export interface Storage {
  db: Kysely<Tables>;
  /** The same without a statement timeout, for background work over large tables. */
  patient: Kysely<Tables>;
  /** Returns the function that runs a script, each call in its own transaction. SQLite starts to load the script here. */
  prepare<Input, Output>(script: TransactionScript<Input, Output>): (input: Input) => Promise<Output>;
  /** Reads one consistent snapshot on a separate connection. */
  snapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** The damage that the database has reported since it was opened. */
  damage: Damage;
  /**
   * Checks a small file, or one without a clean shutdown, and throws when it is damaged. Files above `atMost` bytes are
   * skipped. Returns whether the file was checked or needs no check.
   */
  verify(atMost?: number): Promise<boolean>;
  /**
   * Gives up to that many free pages of an SQLite file back to the disk. Returns those that are left, and all pages; none
   * for a file from before version 1.0, whose free pages are only used again, and on PostgreSQL.
   */
  shrink(pages: number): Promise<{ free: number; pages: number }>;
  close(): Promise<void>;
}

/** Opens PostgreSQL when there is a URL, else the SQLite file in the data directory. */
export function openStorage({ databaseUrl, dataDir, workers = 1 }: Place): Storage {
  return databaseUrl === undefined
    ? openSqlite(path.join(dataDir, 'relay-hub.db'))
    : openPostgres(databaseUrl, workers);
}

interface Place {
  databaseUrl: string | undefined;
  dataDir: string;
  /** Processes of this node, which share its connections to PostgreSQL. */
  workers?: number;
}

/**
 * Rare, because commits wait while a checkpoint waits for the disk. The writer checkpoints a WAL that grows faster.
 * The files in use are looked for at the same time.
 */
const CHECKPOINT_MS = 10_000;

function openSqlite(file: string): Storage {
  const unclean = sizeOf(`${file}-wal`) > 0;
  const damage = new Damage();
  // The reader needs an existing file whichever thread starts first, and an invalid file must fail the start.
  try {
    keepToOwner(file);
    const isNew = !existsSync(file) || statSync(file).size === 0;
    const created = new DatabaseSync(file);
    // Deleted rows can then be given back to the disk. In an existing file this would write, even if it is damaged.
    if (isNew) created.exec('pragma auto_vacuum = incremental');
    created.exec('pragma journal_mode = wal');
    created.close();
  } catch (error) {
    if (sqliteCodeOf(error) === SQLITE_CORRUPT) throw damagedFile(file, error);
    throw new MigrationError(`${file} cannot be used: ${asError(error).message}. Nothing in it was changed.`);
  }
  const writing = new Mutex();
  // Each of them would wait for the lock as long again, and none of them ends while new ones come.
  const failed = (error: Error) => isLocked(error) && writing.refuseWaiting(error);
  const writer = new SqliteThread({ file, readOnly: false }, damage, failed);
  const reader = new SqliteThread({ file, readOnly: true }, damage);
  const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, reader, writing }) });
  const inodes = new Map<string, bigint>();
  /** SQLite, too, knows files by their inodes. Its companion files appear when the writer has opened it. */
  const look = (): void => {
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      const [before, now] = [inodes.get(name), inodeOf(name)];
      if (now === null) continue;
      if (before !== undefined && before !== now) damage.lose(name);
      if (now !== undefined) inodes.set(name, now);
    }
  };
  look();
  let dirty = false;
  const timer = setInterval(() => {
    look();
    if (!dirty || damage.lost) return;
    dirty = false;
    // The next checkpoint makes up for one that fails or finds the WAL in use.
    reader.checkpoint().catch(() => {});
  }, CHECKPOINT_MS).unref();
  return {
    db,
    patient: db,
    prepare(script) {
      writer.load(script);
      return async (input) => {
        const release = await writing.take();
        dirty = true;
        try {
          return await writer.run(script, input);
        } finally {
          release();
        }
      };
    },
    damage,
    async verify(atMost = Infinity) {
      const size = sizeOf(file) + sizeOf(`${file}-wal`);
      if (!unclean && size > CHECKED_ALWAYS) return true;
      if (size > atMost) return false;
      // With a limit the start waits for this check, so the reader is idle.
      const thread = atMost === Infinity ? new SqliteThread({ file, readOnly: true }, damage) : reader;
      try {
        const { rows } = await thread.query('pragma quick_check(1)', []);
        const [found] = Object.values(rows[0] ?? {});
        // The same error that a query over the damaged page gets.
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
    async shrink(pages) {
      const release = await writing.take();
      dirty = true;
      try {
        return await writer.shrink(pages);
      } finally {
        release();
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
      // The writer last: only a writing connection can merge and remove the WAL.
      await reader.close();
      await writer.close();
    },
  };
}

const SQLITE_CORRUPT = 11;
/** Files up to this size are checked at every start; that takes less than 100 ms. */
const CHECKED_ALWAYS = 16 * 1024 * 1024;

/** Undefined: the file is not there; null: unknown. */
function inodeOf(file: string): bigint | undefined | null {
  try {
    return statSync(file, { throwIfNoEntry: false, bigint: true })?.ino;
  } catch {
    // Unreadable for a moment, as a network file system can be; the open file still works.
    return null;
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The error that refuses to start on a damaged file and names the remedy. */
export const damagedFile = (file: string, error: unknown): MigrationError =>
  new MigrationError(
    `${file} is damaged (SQLite: ${asError(error).message}). Restore it from a backup, with no ${path.basename(file)}-wal ` +
      `or -shm file of another copy beside it. Nothing was changed.`,
  );

/** Creates the file if needed and makes it readable by its owner only; SQLite copies its mode to the WAL. */
function keepToOwner(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      if (existsSync(each)) chmodSync(each, 0o600);
    } catch {
      // The file belongs to another user, so its mode is their choice.
    }
  }
}

/** Scripts: calls wait for them, so they have few connections and a short timeout. */
const scriptLimits = { connections: 3, statementMs: 8_000, pipeline: true };
/** Pages and the authentication of callers. */
const pageLimits = { connections: 12, statementMs: 15_000 };
/** Background work, which grows with the tables. */
const patientLimits = { connections: 3, statementMs: 3_600_000 };

/** A worker has fewer callers and pages than a node without others. */
const ofWorker = { pages: 4, patient: 2 };

function openPostgres(connectionString: string, workers: number): Storage {
  const watch = new SilenceWatch(connectionString);
  const damage = new Damage();
  const scripts = new PostgresConnections(connectionString, scriptLimits, watch, damage);
  const kyselyOn = (limits: Limits) =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: async () => new PostgresConnections(connectionString, limits, watch, damage),
      }),
    });
  const shared = (limits: Limits, least: number): Limits =>
    workers === 1 ? limits : { ...limits, connections: Math.max(least, Math.floor(limits.connections / workers)) };
  const db = kyselyOn(shared(pageLimits, ofWorker.pages));
  const patient = kyselyOn(shared(patientLimits, ofWorker.patient));
  return {
    db,
    patient,
    prepare: (script) => async (input) => {
      const connection = await scripts.connect();
      try {
        const sent: Promise<unknown>[] = [];
        /** Awaited together, below; the server answers in the order of the statements. */
        const keep = <T>(result: Promise<T>): Promise<T> => {
          result.catch(() => {});
          sent.push(result);
          return result;
        };
        const begun = keep(connection.query('begin', []));
        const output = await script.run(
          <Row extends SqlRow>(text: string, values: readonly unknown[]) => {
            const result = keep(connection.query<Row>(text, values, nameOf(text)));
            // Nothing may be built on a row that was read outside of the transaction.
            return keep(begun.then(() => result).then(({ rows }) => rows));
          },
          input,
          ' for update',
        );
        // If a statement has failed, the server answers with a rollback.
        const committed = keep(connection.query('commit', []));
        await Promise.all(sent);
        if ((await committed).command !== 'COMMIT') throw new Error('the transaction was rolled back');
        connection.release();
        return output;
      } catch (error) {
        // A connection that cannot roll back is destroyed.
        await connection.query('rollback', []).then(
          () => connection.release(),
          () => connection.release(true),
        );
        throw error;
      }
    },
    damage,
    verify: async () => true,
    shrink: async () => ({ free: 0, pages: 0 }),
    snapshot: (read) =>
      patient
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (trx) => {
          // A month that is dropped is gone from a snapshot, too, whatever else that says. The lock has to come first.
          await sql`lock table logs in access share mode`.execute(trx);
          return read(trx);
        }),
    async close() {
      watch.close();
      await Promise.all([db.destroy(), patient.destroy(), scripts.end()]);
    },
  };
}

const names = new Map<string, string>();

/** PostgreSQL parses a named statement once per connection. Scripts have few, fixed texts. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `script_${names.size}`));
  return name;
}
