import { Worker } from 'node:worker_threads';
import type { Batch, BatchResult } from '#quota/batch-items.ts';
import type { Damage } from './damage.ts';
import { rowsOf } from './rows-of.ts';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-worker.ts';

type Unnumbered<R> = R extends unknown ? Omit<R, 'id'> : never;

interface Waiting {
  resolve(reply: SqliteReply): void;
  reject(error: Error): void;
}

/** The main thread's end of an SQLite connection that lives in a worker. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #lastId = 0;

  constructor(data: SqliteWorkerData, damage: Damage) {
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on('message', (reply: SqliteReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) {
        const error = asError(reply);
        damage.note(error);
        waiting?.reject(error);
      } else waiting?.resolve(reply);
    });
    const fail = (error: Error) => {
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        fail(new Error('the database thread has ended'));
        resolve();
      });
    });
  }

  async query(sql: string, params: readonly unknown[]): Promise<{ rows: unknown[]; changes: number }> {
    const found = (await this.#ask({ kind: 'query', sql, params })) as Extract<SqliteReply, { columns: string[] }>;
    return { rows: rowsOf(found), changes: found.changes };
  }

  async batch(batch: Batch): Promise<BatchResult> {
    const reply = (await this.#ask({ kind: 'batch', batch })) as { id: number; batch: BatchResult };
    return reply.batch;
  }

  async checkpoint(): Promise<void> {
    await this.#ask({ kind: 'checkpoint' });
  }

  async close(): Promise<void> {
    this.#worker.postMessage({ id: ++this.#lastId, kind: 'close' } satisfies SqliteRequest);
    await this.#exited;
  }

  #ask(request: Unnumbered<SqliteRequest>): Promise<SqliteReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id });
    });
  }
}

const asError = ({ error, code, errcode }: Extract<SqliteReply, { error: string }>): Error =>
  Object.assign(new Error(error), { code, errcode });
