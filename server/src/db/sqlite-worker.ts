import { getPriority, setPriority } from 'node:os';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Batch, BatchResult } from '#quota/batch-items.ts';
import { runBatch } from '#quota/book-statements.ts';
import { rowsOf } from './rows-of.ts';

/**
 * One SQLite connection in a thread of its own, so that neither a scan nor a commit holds up the calls that the
 * main thread relays. The writer also runs the book's batches: one transaction, one message each way.
 */

export interface SqliteWorkerData {
  file: string;
  readOnly: boolean;
}

export type SqliteRequest =
  | { id: number; kind: 'query'; sql: string; params: readonly unknown[] }
  | { id: number; kind: 'batch'; batch: Batch }
  | { id: number; kind: 'checkpoint' }
  | { id: number; kind: 'close' };

export type SqliteReply =
  | { id: number; columns: string[]; values: unknown[][]; changes: number }
  | { id: number; batch: BatchResult }
  | { id: number; error: string; code: string; errcode: number | undefined };

interface Prepared {
  statement: StatementSync;
  columns: string[];
  /** Places of columns whose declared type needs a value of another kind than SQLite keeps. */
  booleans: number[];
  json: number[];
}

interface Found {
  columns: string[];
  /** Each row by the places of its columns: half the work of objects for the thread that gets them. */
  values: unknown[][];
  changes: number;
}

const { file, readOnly } = workerData as SqliteWorkerData;
const port = parentPort!; // this module is only ever started as a worker

// On Linux this is the priority of this thread alone: whoever waits for an answer comes before a page of a table, and
// before a settlement that nobody waits for.
if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + (readOnly ? 10 : 5)));

const database = new DatabaseSync(file, { readOnly, timeout: 5000 });
database.exec('pragma foreign_keys = on');
if (!readOnly) {
  // WAL with NORMAL: what is committed survives a killed process; a power cut may take the last moments, never more.
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  // Check points wait for the disk, so the reader's thread makes them (`checkpoint`); this is for when it cannot keep up.
  database.exec('pragma wal_autocheckpoint = 20000');
}
// The writer adds at the ends of its tables and indexes; whoever reads goes through them.
database.exec(`pragma cache_size = ${readOnly ? -16000 : -4000}; pragma temp_store = memory`);

const prepared = new Map<string, Prepared>();
const KEPT_STATEMENTS = 400;

function prepare(sql: string): Prepared {
  const known = prepared.get(sql);
  if (known) return known;
  const statement = database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
  statement.setReturnArrays(true);
  const columns = statement.columns();
  const placesOf = (type: string) => columns.flatMap((column, at) => (column.type?.toLowerCase() === type ? [at] : []));
  const names = columns.map(({ name }) => name);
  const made = { statement, columns: names, booleans: placesOf('boolean'), json: placesOf('json') };
  if (prepared.size >= KEPT_STATEMENTS) prepared.delete(prepared.keys().next().value!);
  prepared.set(sql, made);
  return made;
}

function bind(value: unknown) {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  return value as string | number | bigint | null | Uint8Array; // all that node:sqlite takes; it refuses the rest itself
}

function query(sql: string, params: readonly unknown[]): Found {
  const { statement, columns, booleans, json } = prepare(sql);
  const bound = params.map(bind);
  if (columns.length === 0) return { columns, values: [], changes: Number(statement.run(...bound).changes) };
  const values = statement.all(...bound) as unknown as unknown[][]; // arrays, as `prepare` has asked for
  for (const row of values) {
    for (const at of booleans) if (row[at] !== null) row[at] = row[at] !== 0;
    for (const at of json) if (typeof row[at] === 'string') row[at] = JSON.parse(row[at]);
  }
  return { columns, values, changes: values.length };
}

async function runWhole(batch: Batch): Promise<BatchResult> {
  query('begin immediate', []);
  try {
    const results = await runBatch((sql, params) => rowsOf(query(sql, params)), batch, '');
    query('commit', []);
    return results;
  } catch (error) {
    // Where SQLite has taken it back by itself, as when the disk is full, there is nothing left to take back.
    if (database.isTransaction) query('rollback', []);
    throw error;
  }
}

let checkpointer: DatabaseSync | undefined;

/** Brings what the log holds into the database file, as far as that is possible without making anybody wait. */
function checkpoint(): void {
  if (!checkpointer) {
    checkpointer = new DatabaseSync(file, { timeout: 0 });
    checkpointer.exec('pragma synchronous = normal');
  }
  checkpointer.exec('pragma wal_checkpoint(passive)');
}

/** Brings the whole log into the database file, so that a copy of this file alone is complete. */
function emptyLog(): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The disk is full, or the file is damaged: the next start reads the log.
  }
}

async function answer(request: SqliteRequest): Promise<void> {
  try {
    if (request.kind === 'batch') {
      port.postMessage({ id: request.id, batch: await runWhole(request.batch) } satisfies SqliteReply);
    } else if (request.kind === 'query') {
      port.postMessage({ id: request.id, ...query(request.sql, request.params) } satisfies SqliteReply);
    } else if (request.kind === 'checkpoint') {
      checkpoint();
      port.postMessage({ id: request.id, columns: [], values: [], changes: 0 } satisfies SqliteReply);
    } else {
      prepared.clear();
      checkpointer?.close();
      if (!readOnly) emptyLog();
      database.close();
      port.close();
    }
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
    port.postMessage({ id: request.id, error: message, code: code ?? '', errcode } satisfies SqliteReply);
  }
}

port.on('message', (request: SqliteRequest) => void answer(request));
