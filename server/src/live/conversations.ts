import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Db } from '#db/tables.ts';

/** A conversation as routing sees it. */
export interface CacheConversation {
  /** Hash of tenant, model and session: see `conversationOf`. */
  id: string;
  /** 32 bits of the hash; equal on every node. */
  seed: number;
}

/** The channel and key that hold the prompt cache of a conversation. */
export interface CachePlace {
  channelId: number;
  keyId: number;
}

/** A conversation before its next call: its place, or none. `full`: it has used up its calls of this minute. */
export type KnownConversation = CachePlace | 'full' | 'new';

interface Kept extends CachePlace {
  /** Milliseconds that its cache lives without use; 0: no call has been answered. */
  lifeMs: number;
  /** Unix milliseconds. */
  endsMs: number;
  minute: number;
  /** Calls in this minute. */
  calls: number;
  answered: number;
  /** End of the stay that other nodes know; 0: none. */
  toldMs: number;
}

/** Conversations in memory, about 200 bytes each; the one that has been quiet longest is forgotten first. */
export const MOST_CONVERSATIONS = 50_000;
/** Calls of a conversation that one key takes in a minute. Above it is not one conversation, but an app's constant id. */
export const CALLS_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const EVERY_MS = 250;
const ROWS_AT_ONCE = 200;
/** Bounds the memory while the database is away. */
const MOST_UNTOLD = 10_000;
const CLEAN_EVERY_MS = 10 * MINUTE_MS;

/** Name of the counter in `revisions` that announces new rows. */
const REVISION = 'conversations';

/**
 * Which channel and key hold the prompt cache of a conversation (decision 0071). Calls read the memory of their node;
 * nodes exchange places through the database, later and in batches. A node that does not know a conversation yet
 * places it by its hash, where every other node would place it too.
 */
export class Conversations {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #kept = new Map<string, Kept>();
  #untold = new Map<string, Kept>();
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();
  #seen = -1;
  #cleanedMs = performance.now();

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Where a conversation is kept. Counts a call of it. */
  next({ id }: CacheConversation, nowMs: number): KnownConversation {
    const kept = this.#kept.get(id);
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (!kept) {
      this.#keep(id, {
        channelId: 0,
        keyId: 0,
        lifeMs: 0,
        endsMs: 0,
        minute,
        calls: 1,
        answered: 0,
        toldMs: 0,
      });
      return 'new';
    }
    if (kept.minute !== minute) {
      kept.minute = minute;
      kept.calls = 0;
    }
    if (++kept.calls > CALLS_PER_MINUTE) return 'full';
    return kept.endsMs > nowMs ? kept : 'new';
  }

  /** Where a conversation is kept; counts nothing. */
  find({ id }: CacheConversation, nowMs: number): CachePlace | undefined {
    const kept = this.#kept.get(id);
    return kept && kept.endsMs > nowMs ? kept : undefined;
  }

  /**
   * Records that a call was answered at `place`, whose cache lives `lifeMs` without use. `moved`: other nodes would
   * place it elsewhere.
   */
  answered(
    { id }: CacheConversation,
    place: CachePlace,
    { lifeMs, moved, nowMs }: { lifeMs: number; moved: boolean; nowMs: number },
  ): void {
    const known = this.#kept.get(id);
    // Written again at the end: the map is in order of use.
    this.#kept.delete(id);
    const isSame = known?.channelId === place.channelId && known.keyId === place.keyId && known.endsMs > nowMs;
    // A call without a sign of a longer life may continue a cache that has one.
    const longest = isSame ? Math.max(lifeMs, known.lifeMs) : lifeMs;
    const kept: Kept = {
      channelId: place.channelId,
      keyId: place.keyId,
      lifeMs: longest,
      endsMs: nowMs + longest,
      minute: known?.minute ?? Math.floor(nowMs / MINUTE_MS),
      calls: known?.calls ?? 1,
      answered: (known?.answered ?? 0) + 1,
      toldMs: isSame ? known.toldMs : 0,
    };
    this.#keep(id, kept);
    // A first call may remain the only one with this start; other nodes need no row for it.
    const isWorthTelling = moved || kept.answered > 1;
    if (isWorthTelling && kept.toldMs < nowMs + longest / 2) this.#tell(id, kept);
  }

  #keep(id: string, kept: Kept): void {
    const [quietest] = this.#kept.size >= MOST_CONVERSATIONS ? this.#kept.keys() : [];
    if (quietest !== undefined) this.#kept.delete(quietest);
    this.#kept.set(id, kept);
  }

  #tell(id: string, kept: Kept): void {
    if (this.#untold.size >= MOST_UNTOLD) return;
    kept.toldMs = kept.endsMs;
    this.#untold.set(id, kept);
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Writes what other nodes do not know yet. Never rejects: without the database, each node keeps its own. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#telling = this.#telling.then(() => this.#write());
    await this.#telling;
  }

  async #write(): Promise<void> {
    const untold = this.#untold;
    this.#untold = new Map();
    // In a fixed order, so that two nodes cannot deadlock.
    const rows = [...untold]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, { channelId, keyId, lifeMs, endsMs }]) => ({
        id,
        channel_id: channelId,
        key_id: keyId,
        life_ms: lifeMs,
        ends_ms: endsMs,
      }));
    try {
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
        await this.#writeRows(rows.slice(from, from + ROWS_AT_ONCE));
      await this.#clean();
    } catch (error) {
      this.#log.warn({ err: error, conversations: rows.length }, 'places of conversations not shared');
    }
  }

  /** The counter's row is locked until the rows are committed, so that no reader passes over a number. */
  async #writeRows(rows: readonly Omit<ConversationRow, 'revision'>[]): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      const { value: revision } = await trx
        .insertInto('revisions')
        .values({ name: REVISION, value: 1 })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((eb) => ({ value: eb('revisions.value', '+', 1) })),
        )
        .returning('value')
        .executeTakeFirstOrThrow();
      await trx
        .insertInto('conversations')
        .values(rows.map((row) => ({ ...row, revision })))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({
            channel_id: ref('excluded.channel_id'),
            key_id: ref('excluded.key_id'),
            life_ms: ref('excluded.life_ms'),
            ends_ms: ref('excluded.ends_ms'),
            revision: ref('excluded.revision'),
          })),
        )
        .execute();
    });
  }

  async #clean(): Promise<void> {
    if (performance.now() - this.#cleanedMs < CLEAN_EVERY_MS) return;
    this.#cleanedMs = performance.now();
    await this.#db.deleteFrom('conversations').where('ends_ms', '<=', Date.now()).execute();
  }

  /** Reads the rows that other nodes have written since the last read; the first read takes all unexpired rows. */
  async refresh(revisions: ReadonlyMap<string, number>): Promise<void> {
    const now = revisions.get(REVISION) ?? 0;
    if (now === this.#seen) return;
    const rows = await this.#db
      .selectFrom('conversations')
      .where('revision', '>', this.#seen)
      .where('ends_ms', '>', Date.now())
      .orderBy('revision', 'desc')
      .limit(MOST_CONVERSATIONS)
      .selectAll()
      .execute();
    this.#seen = now;
    for (const row of rows) this.#adopt(row);
  }

  #adopt({ id, channel_id: channelId, key_id: keyId, life_ms: lifeMs, ends_ms: endsMs }: ConversationRow): void {
    const known = this.#kept.get(id);
    // A later answer on this node is newer than the row.
    if (known && known.endsMs - known.lifeMs >= endsMs - lifeMs) return;
    const { minute = 0, calls = 0, answered = 1 } = known ?? {};
    this.#kept.delete(id);
    this.#keep(id, { channelId, keyId, lifeMs, endsMs, minute, calls, answered, toldMs: endsMs });
  }

  async close(): Promise<void> {
    await this.flush();
  }
}

interface ConversationRow {
  id: string;
  channel_id: number;
  key_id: number;
  life_ms: number;
  ends_ms: number;
  revision: number;
}
