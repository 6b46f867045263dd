import type { Logger } from 'pino';
import { isOutage } from '#db/outage.ts';
import type { Db } from '#db/tables.ts';
import { Folding, HOUR_S, type RefusedCall } from './folding.ts';
import { UnknownKeys } from './unknown-keys.ts';
import { writeRefusals, writeUnknownKeys } from './write-refusals.ts';

/** Delay before a new row is written, short because a person may be waiting for it; additions to a row can wait. */
const FIRST_MS = 300;
const MORE_MS = 5_000;
const AGAIN_MS = 5_000;
const ROWS_A_STATEMENT = 200;

/** How long counts of unknown keys are kept. */
const UNKNOWN_KEPT_S = 14 * 24 * HOUR_S;

interface RefusalDeps {
  db: Db;
  log: Logger;
  /** Unix seconds. */
  now(): number;
}

/** Records refused calls without delaying the response: folds them in memory and writes them in batches. */
export class Refusals {
  readonly #parts: RefusalDeps;
  readonly #folding = new Folding();
  readonly #unknown = new UnknownKeys();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Infinity;
  #writing: Promise<void> | undefined;
  #cleanedHour = 0;
  #closed = false;

  constructor(parts: RefusalDeps) {
    this.#parts = parts;
  }

  /** Records a refused call of a known token. */
  note(call: RefusedCall): void {
    this.#writeIn(this.#folding.add(call, this.#parts.now()) ? FIRST_MS : MORE_MS);
  }

  /** Counts a call with an unknown or missing key. */
  noteUnknown(kind: 'unknown' | 'missing', ip: string, endpoint: string): void {
    this.#unknown.add(kind, ip, endpoint, this.#parts.now());
    this.#writeIn(MORE_MS);
  }

  /** Resolves after an attempt to write all that was recorded before. Rows that fail are retried later. */
  async caughtUp(): Promise<void> {
    // Another caller may have begun the next write while this one waited.
    while (this.#writing) await this.#writing;
    if (this.#folding.waiting + this.#unknown.waiting > 0) await this.#write();
  }

  /** Writes the remaining rows. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.caughtUp();
  }

  #writeIn(ms: number): void {
    const dueMs = performance.now() + ms;
    if (this.#closed || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#dueMs = Infinity;
      void this.#write();
    }, ms).unref();
  }

  /** One write at a time; never rejects. */
  #write(): Promise<void> {
    return (this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined)));
  }

  async #writeAll(): Promise<void> {
    const { db, log } = this.#parts;
    const [folding, unknown] = [this.#folding, this.#unknown];
    try {
      await this.#drain(folding, (rows) => writeRefusals(db, rows));
      await this.#drain(unknown, (rows) => writeUnknownKeys(db, rows));
      await this.#forgetOld();
    } catch (error) {
      log.warn({ err: error }, 'writing refused calls failed; will retry');
      this.#writeIn(AGAIN_MS);
    }
    const lost = folding.takeLost();
    if (lost > 0) log.warn({ calls: lost }, 'refused calls were dropped, too many to keep');
  }

  /** Writes as many batches as there are rows now; calls that arrive meanwhile wait for the next round. */
  async #drain<Row>(
    from: { waiting: number; take(most: number): Row[]; putBack(rows: readonly Row[]): void },
    write: (rows: Row[]) => Promise<void>,
  ): Promise<void> {
    for (let left = from.waiting; left > 0; left -= ROWS_A_STATEMENT) {
      const rows = from.take(Math.min(left, ROWS_A_STATEMENT));
      try {
        await write(rows);
      } catch (error) {
        if (!isOutage(error)) await this.#writeSingly(rows, write);
        else {
          from.putBack(rows);
          throw error;
        }
      }
    }
  }

  /** One row that the database refuses must not block the others. */
  async #writeSingly<Row>(rows: readonly Row[], write: (rows: Row[]) => Promise<void>): Promise<void> {
    for (const row of rows)
      await write([row]).catch((error: unknown) => {
        this.#parts.log.error({ err: error }, 'a refused call could not be written');
      });
  }

  async #forgetOld(): Promise<void> {
    const { db, now } = this.#parts;
    const hour = Math.floor(now() / HOUR_S);
    if (hour === this.#cleanedHour) return;
    await db
      .deleteFrom('unknown_keys')
      .where('hour', '<', now() - UNKNOWN_KEPT_S)
      .execute();
    this.#cleanedHour = hour;
  }
}
