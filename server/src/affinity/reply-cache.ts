import { createHmac, hkdfSync } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '#db/tables.ts';
import { objectOr, parseJson } from '#json.ts';
import type { Secrets } from '#secrets.ts';
import { RepliesInDatabase } from './replies-in-database.ts';
import { RepliesInRedis } from './replies-in-redis.ts';
import type { ReplyPlace } from './reply-place.ts';

interface ReplyCacheParts {
  db: Kysely<Tables>;
  secrets: Secrets;
  secretKey: string;
  redisUrl: string | undefined;
  log: Pick<Logger, 'debug' | 'warn'>;
  now(): number;
}

/** A call waits this long for a reply; then it is a miss. */
const LOOK_UP_MS = 500;
/** Replies that are being written; more are not kept. */
const MOST_WRITTEN = 64;
const DAY_S = 86_400;
/** Days for which uses are kept. */
const USE_DAYS = 90;
/** Tokens and models that are counted apart between two writes; more count together. */
const MOST_USES = 5000;
const ROWS_AT_ONCE = 500;

/** Who asked the cache, and for what. */
export interface ReplyUse {
  userId: number;
  tokenId: number;
  /** As requested. */
  model: string;
}

type Counts = Pick<Tables['reply_cache_uses'], 'hits' | 'misses' | 'saved'>;

/**
 * Replies that are sent again to equal requests: in Redis if there is one, or else in the database; encrypted, and
 * found by a keyed hash, so that a copy of the store does not show what was asked. A call never fails because of it.
 */
export class ReplyCache {
  readonly #parts: ReplyCacheParts;
  readonly #place: ReplyPlace;
  readonly #hashKey: Buffer;
  readonly #writing = new Set<Promise<void>>();
  #uses = new Map<string, ReplyUse & Counts>();

  constructor(parts: ReplyCacheParts) {
    this.#parts = parts;
    const { db, redisUrl, log, secretKey } = parts;
    this.#place = redisUrl === undefined ? new RepliesInDatabase(db) : new RepliesInRedis(redisUrl, log);
    this.#hashKey = Buffer.from(hkdfSync('sha256', secretKey, 'relay-hub', 'reply cache', 32));
  }

  /** The key of the reply to a request, which the text names completely. */
  keyOf(request: string): string {
    return createHmac('sha256', this.#hashKey).update(request).digest('base64url');
  }

  /** The content of a kept reply; undefined: there is none, or the place did not answer. Never rejects. */
  async find(key: string): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), LOOK_UP_MS);
      });
      const sealed = await Promise.race([this.#place.get(key, this.#parts.now()), late]);
      if (sealed === undefined) return undefined;
      const content = objectOr(parseJson(this.#parts.secrets.decrypt(sealed)));
      // A row that was moved to another key belongs to another request.
      return content['key'] === key ? content['reply'] : undefined;
    } catch (error) {
      this.#parts.log.debug({ err: error }, 'a cached reply was not read');
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Keeps a reply for `seconds`, and returns before it is written. `most`: bytes of all replies. */
  keep(key: string, userId: number, reply: unknown, { seconds, most }: { seconds: number; most: number }): void {
    if (this.#writing.size >= MOST_WRITTEN) return;
    const { secrets, log, now } = this.#parts;
    const at = now();
    const put = async (): Promise<void> => {
      try {
        const sealed = secrets.encrypt(JSON.stringify({ key, reply }));
        await this.#place.put({ key, userId, sealed, now: at, until: at + seconds }, most);
      } catch (error) {
        log.debug({ err: error }, 'a reply was not cached');
      }
    };
    const writing = put().finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  /** Resolves when the replies kept so far are written. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  noteMiss(use: ReplyUse): void {
    this.#add(use, { hits: 0, misses: 1, saved: 0 });
  }

  /** `saved`: credits of its price that are not charged. */
  noteHit(use: ReplyUse, saved: number): void {
    this.#add(use, { hits: 1, misses: 0, saved });
  }

  #add(use: ReplyUse, { hits, misses, saved }: Counts): void {
    const id = `${use.tokenId} ${use.model}`;
    const isKnown = this.#uses.has(id) || this.#uses.size < MOST_USES;
    const key = isKnown ? id : '';
    let counts = this.#uses.get(key);
    if (!counts) {
      const who = isKnown ? use : { userId: 0, tokenId: 0, model: '' };
      this.#uses.set(key, (counts = { ...who, hits: 0, misses: 0, saved: 0 }));
    }
    counts.hits += hits;
    counts.misses += misses;
    counts.saved += saved;
  }

  /** Removes the replies of a user; left out: all. */
  async clear(userId?: number): Promise<void> {
    await this.settled();
    await this.#place.clear(userId);
  }

  /** Removes the replies of a closed account. Never rejects; replies that could not be removed expire. */
  async forget(userId: number): Promise<void> {
    try {
      await this.clear(userId);
    } catch (error) {
      this.#parts.log.warn({ err: error, user: userId }, 'cached replies of a closed account remain until their time');
    }
  }

  size(): Promise<{ replies: number; bytes: number }> {
    return this.#place.size(this.#parts.now());
  }

  /** Adds the counts of this process to those of the day, and removes replies after their time. */
  async tidy(isOver: () => boolean): Promise<void> {
    await this.flush();
    const { db, now } = this.#parts;
    await this.#place.prune(now(), isOver);
    await db
      .deleteFrom('reply_cache_uses')
      .where('day', '<', now() - USE_DAYS * DAY_S)
      .execute();
  }

  /** Writes the counts of this process. */
  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    const { db, now } = this.#parts;
    const at = now();
    const rows = [...uses.values()].map(({ userId, tokenId, ...counts }) => ({
      day: at - (at % DAY_S),
      user_id: userId,
      token_id: tokenId,
      ...counts,
    }));
    try {
      await db.transaction().execute(async (trx) => {
        for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
          const some = trx.insertInto('reply_cache_uses').values(rows.slice(from, from + ROWS_AT_ONCE));
          await some
            .onConflict((conflict) =>
              conflict.columns(['day', 'user_id', 'token_id', 'model']).doUpdateSet({
                hits: sql<number>`reply_cache_uses.hits + excluded.hits`,
                misses: sql<number>`reply_cache_uses.misses + excluded.misses`,
                saved: sql<number>`reply_cache_uses.saved + excluded.saved`,
              }),
            )
            .execute();
        }
      });
    } catch (error) {
      for (const use of uses.values()) this.#add(use, use);
      throw error;
    }
  }

  /** Writes the remaining counts, and closes the connection to Redis. */
  async close(): Promise<void> {
    await this.settled();
    await this.flush().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'counts of cached replies are lost'),
    );
    this.#place.close();
  }
}
