import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';
import { type EndedCall, Minute, type RefusedAtHub } from './minute.ts';
import { SIGN_MINUTES } from './channel-troubles.ts';
import { minuteFromText, minuteToText } from './minute-text.ts';

/** Minutes that the cockpit shows, including the running one. */
export const HOUR_MINUTES = 60;
/** Other nodes see a call after this time at the latest; a killed process loses as much. */
const WRITE_MS = 5_000;
/** Screens read the minutes of other nodes at most this often. */
const REREAD_MS = 2_000;
/** Rows that are older are deleted. */
const KEPT_MINUTES = 2 * HOUR_MINUTES;

interface HourDeps {
  db: Db;
  log: Logger;
  nodeId: string;
  /** Unix seconds. */
  now(): number;
}

/**
 * The calls of the last hour of this node by minute, in memory. Minutes are also written to the database, where other
 * nodes and later processes read them. Decision 0055.
 */
export class CallHour {
  readonly #deps: HourDeps;
  readonly #minutes = new Map<number, Minute>();
  /** Minutes with calls that are not in the database yet. */
  readonly #unwritten = new Set<Minute>();
  #current: Minute | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #cleaned = 0;
  #closed = false;
  /** Latest minutes of other nodes, and until when they need not be read again. */
  #others: Promise<Minute[]> | undefined;
  #othersUntil = 0;

  /** Grows with each call. */
  changes = 0;

  constructor(deps: HourDeps) {
    this.#deps = deps;
  }

  /** A call has ended after one or more attempts. */
  ended(call: EndedCall): void {
    const now = this.#deps.now();
    this.#minute(now).ended(call, now);
  }

  /** A call of a known token was refused before any attempt. */
  refused(call: RefusedAtHub): void {
    const now = this.#deps.now();
    this.#minute(now).refused(call, now);
  }

  /** A channel was frozen for a model. */
  froze(channelId: number, model: string, cause: string): void {
    const now = this.#deps.now();
    this.#minute(now).froze(channelId, model, cause, now);
  }

  /** This node's minutes since a minute. */
  since(first: number): Minute[] {
    return [...this.#minutes.values()].filter(({ number }) => number >= first);
  }

  /** The minutes of all nodes since a minute: this one's from memory, those of others as they were written. */
  async sinceOnAll(first: number): Promise<Minute[]> {
    return [...this.since(first), ...(await this.#ofOthers(this.#deps.db, first))];
  }

  /** The minutes that troubles of channels are judged by. Those of other nodes may be two seconds older than written. */
  async recentOnAll(db: Db): Promise<Minute[]> {
    const first = Math.floor(this.#deps.now() / 60) - SIGN_MINUTES + 1;
    // A transaction may hold the only connection.
    if (db.isTransaction) return [...this.since(first), ...(await this.#ofOthers(db, first))];
    const at = performance.now();
    if (!this.#others || at >= this.#othersUntil) {
      this.#othersUntil = at + REREAD_MS;
      this.#others = this.#ofOthers(db, first);
      // A failed read is not kept; who waits for it gets its error.
      this.#others.catch(() => (this.#othersUntil = 0));
    }
    return [...this.since(first), ...(await this.#others)];
  }

  async #ofOthers(db: Db, first: number): Promise<Minute[]> {
    const { nodeId } = this.#deps;
    const rows = await db
      .selectFrom('call_minutes')
      .where('minute', '>=', first)
      .where('node', '<>', nodeId)
      .select(['minute', 'calls'])
      .execute();
    return rows.flatMap(({ minute, calls }) => minuteFromText(minute, calls) ?? []);
  }

  /** Writes the changed minutes. Never rejects: what fails is written later. */
  async flush(): Promise<void> {
    // Another caller may have begun the next write while this one waited.
    while (this.#writing) await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unwritten.size === 0) return;
    await (this.#writing = this.#write().finally(() => (this.#writing = undefined)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    clearTimeout(this.#timer);
  }

  #minute(now: number): Minute {
    this.changes++;
    const number = Math.floor(now / 60);
    let minute = this.#current;
    if (minute?.number !== number) minute = this.#begin(number);
    this.#unwritten.add(minute);
    this.#writeSoon();
    return minute;
  }

  #begin(number: number): Minute {
    // A clock that was set back continues an earlier minute.
    const minute = this.#minutes.get(number) ?? new Minute(number);
    this.#minutes.set(number, minute);
    this.#current = minute;
    for (const [each, old] of this.#minutes) {
      if (each > number - HOUR_MINUTES) continue;
      this.#minutes.delete(each);
      this.#unwritten.delete(old);
    }
    return minute;
  }

  #writeSoon(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.flush(), WRITE_MS).unref();
  }

  async #write(): Promise<void> {
    const { db, log, nodeId, now } = this.#deps;
    const changed = [...this.#unwritten];
    this.#unwritten.clear();
    const written_time = now();
    const rows = changed.map((minute) => ({
      minute: minute.number,
      node: nodeId,
      written_time,
      calls: minuteToText(minute),
    }));
    try {
      await db
        .insertInto('call_minutes')
        .values(rows)
        .onConflict((conflict) =>
          conflict.columns(['minute', 'node']).doUpdateSet((eb) => ({
            calls: eb.ref('excluded.calls'),
            written_time: eb.ref('excluded.written_time'),
          })),
        )
        .execute();
      const oldest = Math.floor(written_time / 60) - KEPT_MINUTES;
      if (oldest === this.#cleaned) return;
      await db.deleteFrom('call_minutes').where('minute', '<', oldest).execute();
      this.#cleaned = oldest;
    } catch (error) {
      log.warn({ err: error }, 'minutes of calls not written; will retry');
      for (const minute of changed) if (this.#minutes.has(minute.number)) this.#unwritten.add(minute);
      this.#writeSoon();
    }
  }
}
