import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';

interface KeyUse {
  time: number;
  ip: string;
}

const EVERY_MS = 2_000;
const ROWS_AT_ONCE = 200;
/** Bounds the memory while the database is away; later uses of other keys are not noted then. */
const KEPT = 50_000;

/** Last use of API keys: noted in memory by each call, and written in batches. A killed process loses two seconds. */
export class KeyUses {
  readonly #db: Db;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #uses = new Map<string, KeyUse>();
  #writing: Promise<void> | undefined;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Notes a use at `time`, in Unix seconds, of the key with this SHA-256. */
  note(keyHash: string, time: number, ip: string): void {
    const use = this.#uses.get(keyHash);
    if (use) {
      use.time = time;
      use.ip = ip;
    } else if (this.#uses.size < KEPT) this.#uses.set(keyHash, { time, ip });
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Writes what was noted so far. Never rejects: what could not be written stays noted. */
  async flush(): Promise<void> {
    // Another caller may have begun the next write while this one waited.
    while (this.#writing) await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    await (this.#writing = this.#write().finally(() => (this.#writing = undefined)));
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const uses = this.#uses;
    this.#uses = new Map();
    // In a fixed order, so that two nodes cannot deadlock.
    const rows = [...uses]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key_hash, { time, ip }]) => ({ key_hash, used_time: time, used_ip: ip }));
    try {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
        await this.#db
          .insertInto('key_uses')
          .values(rows.slice(from, from + ROWS_AT_ONCE))
          .onConflict((conflict) =>
            conflict
              .column('key_hash')
              .doUpdateSet((eb) => ({
                used_time: eb.ref('excluded.used_time'),
                used_ip: eb.ref('excluded.used_ip'),
              }))
              .whereRef('excluded.used_time', '>=', 'key_uses.used_time'),
          )
          .execute();
    } catch (error) {
      this.#log.warn({ err: error }, 'last uses of keys not written');
      for (const [keyHash, { time, ip }] of uses) if (!this.#uses.has(keyHash)) this.note(keyHash, time, ip);
    }
  }
}
