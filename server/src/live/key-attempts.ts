import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';
import { HOUR_S, hourOf } from '#roll-ups/usage-scope.ts';

interface Count {
  hour: number;
  channel_id: number;
  key_id: number;
  attempts: number;
  failures: number;
}

const EVERY_MS = 5_000;
const ROWS_AT_ONCE = 200;
/** Read views show a week. */
const KEPT_S = 8 * 24 * HOUR_S;

/**
 * Attempts by key of a channel and hour: counted in memory by each call, and written in batches. A killed process loses
 * five seconds; the sums by channel, which are written with the log, lose nothing.
 */
export class KeyAttempts {
  readonly #db: Db;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #counts = new Map<number, Count>();
  #hour = 0;
  #writing: Promise<void> | undefined;
  #cleanedHour = 0;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** Counts an attempt at `nowMs`, Unix milliseconds. Attempts that failed because of the request are not counted. */
  note(channelId: number, keyId: number, ok: boolean, nowMs: number): void {
    const hour = hourOf(Math.floor(nowMs / 1000));
    if (hour !== this.#hour) {
      if (this.#counts.size > 0) void this.flush();
      this.#hour = hour;
    }
    let count = this.#counts.get(keyId);
    if (!count || count.hour !== hour)
      this.#counts.set(keyId, (count = { hour, channel_id: channelId, key_id: keyId, attempts: 0, failures: 0 }));
    count.attempts++;
    if (!ok) count.failures++;
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Writes what was counted so far. Never rejects: counts that cannot be written are dropped with a warning. */
  async flush(): Promise<void> {
    const counts = this.#counts;
    this.#counts = new Map();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#writing;
    const written = (async () => {
      await before;
      if (counts.size > 0) await this.#write(counts);
    })();
    this.#writing = written;
    await written;
  }

  async #write(counts: ReadonlyMap<number, Count>): Promise<void> {
    // In a fixed order, so that two nodes cannot deadlock.
    const rows = [...counts.values()].toSorted((a, b) => a.key_id - b.key_id);
    try {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
        await this.#db
          .insertInto('attempts_by_key')
          .values(rows.slice(from, from + ROWS_AT_ONCE))
          .onConflict((conflict) =>
            conflict.columns(['channel_id', 'hour', 'key_id']).doUpdateSet((eb) => ({
              attempts: eb('attempts_by_key.attempts', '+', eb.ref('excluded.attempts')),
              failures: eb('attempts_by_key.failures', '+', eb.ref('excluded.failures')),
            })),
          )
          .execute();
      const hour = rows[0]?.hour ?? 0;
      if (hour <= this.#cleanedHour) return;
      this.#cleanedHour = hour;
      await this.#db
        .deleteFrom('attempts_by_key')
        .where('hour', '<', hour - KEPT_S)
        .execute();
    } catch (error) {
      this.#log.warn({ err: error, keys: rows.length }, 'attempts by key not written');
    }
  }
}
