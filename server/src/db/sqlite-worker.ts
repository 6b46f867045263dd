import { asError, codeOf, sqliteCodeOf } from '#caught-error.ts';
import { getPriority, setPriority } from 'node:os';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { objectsFromArrays } from './objects-from-arrays.ts';
import type { TransactionScript } from './transaction-script.ts';

/**
 * One SQLite connection in its own thread, so that neither a scan nor a commit delays the calls that the main thread
 * relays. The writer also runs transaction scripts: one transaction, one message each way.
 */
export interface SqliteWorkerData {
  file: string;
  readOnly: boolean;
}

export type SqliteRequest =
  | { id: number; kind: 'query'; sql: string; params: readonly unknown[] }
  | { id: number; kind: 'load'; module: string }
  | { id: number; kind: 'script'; module: string; input: unknown }
  | { id: number; kind: 'checkpoint' }
  | { id: number; kind: 'shrink'; pages: number }
  | { id: number; kind: 'close' };

export type SqliteReply =
  | { id: number; columns: string[]; values: unknown[][]; changes: number }
  | { id: number; output: unknown }
  | { id: number }
  | { id: number; error: string; code: string; errcode: number | undefined };

interface PreparedStatement {
  statement: StatementSync;
  columns: string[];
  /** Indexes of the columns whose declared type differs from the type that SQLite stores. */
  booleans: number[];
  json: number[];
}

interface QueryResult {
  columns: string[];
  /** Rows as arrays in column order: half the cost of objects for the receiving thread. */
  values: unknown[][];
  changes: number;
}

const { file, readOnly } = workerData as SqliteWorkerData;
if (!parentPort) throw new Error('sqlite-worker.ts runs only as a worker thread');
const port = parentPort;

// On Linux this is the priority of this thread alone: calls come before the pages of a table (reader) and before
// settlements (writer).
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + (readOnly ? 10 : 5)));
const database = new DatabaseSync(file, { readOnly, timeout: 5000 });
database.exec('pragma foreign_keys = on');
if (!readOnly) {
  // WAL with NORMAL: commits survive a killed process; a power failure may lose the last moments, never more.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  // Checkpoints wait for the disk, so the reader's thread runs them (`checkpoint`); this limit is the fallback.
  database.exec('pragma wal_autocheckpoint = 20000');
}
// The writer appends to its tables and indexes, which needs little cache; readers scan them.
database.exec(`pragma cache_size = ${readOnly ? -16000 : -4000}; pragma temp_store = memory`);

const statements = new Map<string, PreparedStatement>();
const CACHED_STATEMENTS = 400;

function prepare(sql: string): PreparedStatement {
  const cached = statements.get(sql);
  if (cached) return cached;
  const statement = database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
  statement.setReturnArrays(true);
  const columns = statement.columns();
  const indexesOf = (type: string) => columns.flatMap((column, i) => (column.type?.toLowerCase() === type ? [i] : []));
  const names = columns.map(({ name }) => name);
  const prepared = { statement, columns: names, booleans: indexesOf('boolean'), json: indexesOf('json') };
  const [oldest] = statements.keys();
  if (statements.size >= CACHED_STATEMENTS && oldest !== undefined) statements.delete(oldest);
  statements.set(sql, prepared);
  return prepared;
}

function bind(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  return value as SQLInputValue; // node:sqlite rejects other types itself
}

function query(sql: string, params: readonly unknown[]): QueryResult {
  const { statement, columns, booleans, json } = prepare(sql);
  const bound = params.map(bind);
  if (columns.length === 0) return { columns, values: [], changes: Number(statement.run(...bound).changes) };
  const values = statement.all(...bound) as unknown as unknown[][]; // `setReturnArrays` makes rows arrays
  for (const row of values) {
    for (const i of booleans) if (row[i] !== null) row[i] = row[i] !== 0;
    for (const i of json) if (typeof row[i] === 'string') row[i] = JSON.parse(row[i]);
  }
  return { columns, values, changes: values.length };
}

const scripts = new Map<string, Promise<{ script: TransactionScript<unknown, unknown> }>>();

function load(module: string): Promise<{ script: TransactionScript<unknown, unknown> }> {
  let loading = scripts.get(module);
  if (!loading) scripts.set(module, (loading = import(module)));
  return loading;
}

async function runScript(module: string, input: unknown): Promise<unknown> {
  const { script } = await load(module);
  query('begin immediate', []);
  try {
    const output = await script.run((sql, params) => objectsFromArrays(query(sql, params)), input, '');
    query('commit', []);
    return output;
  } catch (error) {
    // SQLite has already rolled back by itself on some errors, such as a full disk.
    if (database.isTransaction) query('rollback', []);
    throw error;
  }
}

let checkpointer: DatabaseSync | undefined;

/** Copies the WAL into the database file as far as possible without blocking others. */
function checkpoint(): void {
  if (!checkpointer) {
    checkpointer = new DatabaseSync(file, { timeout: 0 });
    checkpointer.exec('pragma synchronous = normal');
  }
  checkpointer.exec('pragma wal_checkpoint(passive)');
}

const INCREMENTAL = 2;

/** Moves up to that many free pages out of the file. */
function shrink(pages: number): { free: number; pages: number } {
  const number = (name: string): number => Number(query(`pragma ${name}`, []).values[0]?.[0]);
  if (number('auto_vacuum') !== INCREMENTAL) return { free: 0, pages: 0 };
  if (pages > 0) database.exec(`pragma incremental_vacuum(${Math.floor(pages)})`);
  return { free: number('freelist_count'), pages: number('page_count') };
}

/** Copies the whole WAL into the database file, so that a copy of this file alone is complete. */
function truncateWal(): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The disk is full, or the file is damaged: the next start reads the WAL.
  }
}

async function handle(request: SqliteRequest): Promise<void> {
  const { id } = request;
  try {
    if (request.kind === 'script') {
      port.postMessage({ id, output: await runScript(request.module, request.input) } satisfies SqliteReply);
    } else if (request.kind === 'query') {
      port.postMessage({ id, ...query(request.sql, request.params) } satisfies SqliteReply);
    } else if (request.kind === 'load') {
      await load(request.module);
      port.postMessage({ id } satisfies SqliteReply);
    } else if (request.kind === 'shrink') {
      port.postMessage({ id, output: shrink(request.pages) } satisfies SqliteReply);
    } else if (request.kind === 'checkpoint') {
      checkpoint();
      port.postMessage({ id } satisfies SqliteReply);
    } else {
      statements.clear();
      checkpointer?.close();
      if (!readOnly) truncateWal();
      database.close();
      port.close();
    }
  } catch (error) {
    const { message } = asError(error);
    const reply = { id, error: message, code: codeOf(error) ?? '', errcode: sqliteCodeOf(error) };
    port.postMessage(reply satisfies SqliteReply);
  }
}

port.on('message', (request: SqliteRequest) => void handle(request));
