import type {
  CompiledQuery,
  DatabaseConnection,
  DatabaseIntrospector,
  Dialect,
  Driver,
  Kysely,
  QueryResult,
} from 'kysely';
import { CompiledQuery as Compiled, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Mutex } from './mutex.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** A writer for one user at a time, and a reader that never waits for it. */
export interface SqliteThreads {
  writer: SqliteThread;
  reader: SqliteThread;
  /** Held while the writer is in use. */
  writing: Mutex;
}

/** Kysely's SQLite dialect over the two threads of `open.ts`. */
export function sqliteDialect(threads: SqliteThreads): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ThreadDriver(threads),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
  };
}

class TransactionalAdapter extends SqliteAdapter {
  /** Else Kysely runs one query at a time, and reads wait for transactions. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * SQLite can roll back schema changes. One transaction makes migrations atomic and keeps two processes from migrating
   * at once.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads);
  }

  async beginTransaction(connection: ThreadConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    await connection.end('commit');
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    await connection.end('rollback');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class ThreadConnection implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  #release: (() => void) | undefined;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async begin(): Promise<void> {
    const release = await this.#threads.writing.take();
    try {
      await this.#run(this.#threads.writer, Compiled.raw('begin immediate'));
    } catch (error) {
      // Another process has the file. No transaction began, so nothing else would release the mutex.
      release();
      throw error;
    }
    this.#release = release;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const release = this.#release;
    // A failed commit was rolled back already.
    if (!release) return;
    try {
      if (how === 'commit') await this.#run(this.#threads.writer, Compiled.raw('commit'));
      else await this.#takeBack();
    } catch (error) {
      await this.#takeBack();
      throw error;
    } finally {
      release();
      this.#release = undefined;
    }
  }

  async #takeBack(): Promise<void> {
    // Fails if SQLite has already rolled back, as on a full disk; the caller reports the original error.
    await this.#run(this.#threads.writer, Compiled.raw('rollback')).catch(() => {});
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release) return this.#run<R>(this.#threads.writer, query);
    if (isSelect(query)) return this.#run<R>(this.#threads.reader, query);
    const release = await this.#threads.writing.take();
    try {
      return await this.#run<R>(this.#threads.writer, query);
    } finally {
      release();
    }
  }

  // oxlint-disable-next-line require-yield -- the interface wants a generator; rows come in pages here, not in streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not used on SQLite');
  }

  async #run<R>(thread: SqliteThread, { sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await thread.query(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }
}

/** Raw SQL too: a long select must not occupy the writer. */
function isSelect({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || /^\s*select\b/i.test(sql);
}
