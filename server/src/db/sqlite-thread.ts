import { Worker } from 'node:worker_threads';
import type { Damage } from './damage.ts';
import { objectsFromArrays } from './objects-from-arrays.ts';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-worker.ts';
import type { TransactionScript } from './transaction-script.ts';

type WithoutId<R> = R extends unknown ? Omit<R, 'id'> : never;

interface PendingRequest {
  resolve(reply: Exclude<SqliteReply, { error: string }>): void;
  reject(error: Error): void;
}

/** The main thread's end of an SQLite connection that lives in a worker. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #exited: Promise<void>;
  readonly #damage: Damage;
  readonly #readOnly: boolean;
  #lastId = 0;

  /** `failed` hears of each error of the database before its caller does. */
  constructor(data: SqliteWorkerData, damage: Damage, failed: (error: Error) => void = () => {}) {
    this.#damage = damage;
    this.#readOnly = data.readOnly;
    this.#worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.on('message', (reply: SqliteReply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ('error' in reply) {
        const error = asError(reply);
        damage.note(error);
        failed(error);
        pending?.reject(error);
      } else pending?.resolve(reply);
    });
    const fail = (error: Error) => {
      for (const pending of this.#pending.values()) pending.reject(error);
      this.#pending.clear();
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
    this.#refuseIfLost();
    const reply = await this.#send({ kind: 'query', sql, params });
    return 'columns' in reply ? { rows: objectsFromArrays(reply), changes: reply.changes } : { rows: [], changes: 0 };
  }

  /** Starts to load a script, so that its first run does not wait for that. */
  load({ module }: TransactionScript<never, unknown>): void {
    // The run reports the failure again.
    this.#send({ kind: 'load', module }).catch(() => {});
  }

  /** Runs a script in one transaction. */
  async run<Input, Output>({ module }: TransactionScript<Input, Output>, input: Input): Promise<Output> {
    this.#refuseIfLost();
    const reply = await this.#send({ kind: 'script', module, input });
    return ('output' in reply ? reply.output : undefined) as Output; // the worker ran this script
  }

  async checkpoint(): Promise<void> {
    await this.#send({ kind: 'checkpoint' });
  }

  /** Frees up to that many pages; returns those that are left, and all. */
  async shrink(pages: number): Promise<{ free: number; pages: number }> {
    this.#refuseIfLost();
    const reply = await this.#send({ kind: 'shrink', pages });
    return ('output' in reply ? reply.output : undefined) as { free: number; pages: number }; // the worker's reply
  }

  async close(): Promise<void> {
    this.#worker.postMessage({ id: ++this.#lastId, kind: 'close' } satisfies SqliteRequest);
    await this.#exited;
  }

  /** A write would succeed, into a file without a name. */
  #refuseIfLost(): void {
    if (!this.#readOnly && this.#damage.lost) throw this.#damage.lost;
  }

  #send(request: WithoutId<SqliteRequest>): Promise<Exclude<SqliteReply, { error: string }>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id });
    });
  }
}

const asError = ({ error, code, errcode }: Extract<SqliteReply, { error: string }>): Error =>
  Object.assign(new Error(error), { code, errcode });
