import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { ReplyPlace, SealedReply } from './reply-place.ts';

/** Bytes that this process keeps before it looks how many there are. */
const UNCHECKED_BYTES = 4 * 1024 * 1024;
/** Replies that one statement removes. */
const PIECE = 500;
/** Pieces that make room for one reply; the next one goes on. */
const MOST_PIECES = 20;

/** Cached replies in the database. */
export class RepliesInDatabase implements ReplyPlace {
  readonly #db: Kysely<Tables>;
  #unchecked = 0;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async get(key: string, now: number): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('cached_replies')
      .where('key', '=', key)
      .where('expires_at', '>', now)
      .select('reply_cipher')
      .executeTakeFirst();
    return row?.reply_cipher;
  }

  async put({ key, userId, sealed, until }: SealedReply, most: number): Promise<void> {
    const row = { user_id: userId, reply_cipher: sealed, bytes: sealed.length, expires_at: until };
    await this.#db
      .insertInto('cached_replies')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute();
    this.#unchecked += sealed.length;
    if (this.#unchecked < Math.min(UNCHECKED_BYTES, most / 16)) return;
    this.#unchecked = 0;
    await this.#makeRoom(most);
  }

  async #makeRoom(most: number): Promise<void> {
    let over = (await this.#total()).bytes - most;
    for (let piece = 0; over > 0 && piece < MOST_PIECES; piece++) {
      const first = await this.#db
        .selectFrom('cached_replies')
        .select(['key', 'bytes'])
        .orderBy('expires_at')
        .limit(PIECE)
        .execute();
      const gone: string[] = [];
      for (const { key, bytes } of first) {
        if (over <= 0) break;
        gone.push(key);
        over -= bytes;
      }
      if (gone.length === 0) return;
      await this.#db.deleteFrom('cached_replies').where('key', 'in', gone).execute();
    }
  }

  async #total(): Promise<{ replies: number; bytes: number }> {
    const { replies, bytes } = await this.#db
      .selectFrom('cached_replies')
      .select((of) => [of.fn.countAll<number>().as('replies'), of.fn.sum<number | null>('bytes').as('bytes')])
      .executeTakeFirstOrThrow();
    return { replies, bytes: bytes ?? 0 };
  }

  async clear(userId?: number): Promise<void> {
    const all = this.#db.deleteFrom('cached_replies');
    await (userId === undefined ? all : all.where('user_id', '=', userId)).execute();
  }

  size(): Promise<{ replies: number; bytes: number }> {
    return this.#total();
  }

  async prune(now: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { numDeletedRows } = await this.#db
        .deleteFrom('cached_replies')
        .where('key', 'in', (of) =>
          of.selectFrom('cached_replies').where('expires_at', '<=', now).select('key').limit(PIECE),
        )
        .executeTakeFirst();
      if (numDeletedRows < BigInt(PIECE)) return;
    }
  }

  close(): void {}
}
