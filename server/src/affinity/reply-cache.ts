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

/**
 * Replies that are sent again to equal requests: in Redis if there is one, or else in the database; encrypted, and
 * found by a keyed hash, so that a copy of the store does not show what was asked. A call never fails because of it.
 */
export class ReplyCache {
  readonly #parts: ReplyCacheParts;
  readonly #place: ReplyPlace;
  readonly #hashKey: Buffer;
  readonly #writing = new Set<Promise<void>>();
  readonly #counts = { hits: 0, misses: 0, saved: 0 };

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

  noteMiss(): void {
    this.#counts.misses++;
  }

  /** `saved`: credits of its price that are not charged. */
  noteHit(saved: number): void {
    this.#counts.hits++;
    this.#counts.saved += saved;
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
    await this.#place.prune(this.#parts.now(), isOver);
  }

  /** Writes the counts of this process. */
  async flush(): Promise<void> {
    const counts = { ...this.#counts };
    if (counts.hits + counts.misses === 0) return;
    const { db, now } = this.#parts;
    const at = now();
    const add = (sign: 1 | -1): void => {
      for (const name of ['hits', 'misses', 'saved'] as const) this.#counts[name] += sign * counts[name];
    };
    add(-1);
    try {
      await db
        .insertInto('reply_cache_days')
        .values({ day: at - (at % DAY_S), ...counts })
        .onConflict((conflict) =>
          conflict.column('day').doUpdateSet({
            hits: sql<number>`reply_cache_days.hits + excluded.hits`,
            misses: sql<number>`reply_cache_days.misses + excluded.misses`,
            saved: sql<number>`reply_cache_days.saved + excluded.saved`,
          }),
        )
        .execute();
    } catch (error) {
      add(1);
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
