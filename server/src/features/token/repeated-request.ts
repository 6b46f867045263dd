import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Transaction } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { fingerprint } from '#secrets.ts';

/** How long a request can be repeated. */
const KEPT_S = 86_400;

interface RepeatableRequest {
  userId: number;
  headers: IncomingHttpHeaders;
  reply: FastifyReply;
  /** The operation of the request, with its parsed input. */
  asks: unknown[];
}

/**
 * Does the work of a request in a transaction. With an `Idempotency-Key` header, the same request by the same user
 * within 24 hours gets the stored result instead, however many race. A refused request is not stored. Throws
 * `idempotency.key` for a header that is no key, `idempotency.reused` if the key belongs to another request.
 */
export async function onceForKey<T>(
  { db, secrets, now }: Pick<Deps, 'db' | 'secrets' | 'now'>,
  { userId, headers, reply, asks }: RepeatableRequest,
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const key = headers['idempotency-key'];
  if (key === undefined) return db.transaction().execute(work);
  ensure(typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key), 'idempotency.key');
  const claim = fingerprint(JSON.stringify([userId, key]));
  const request_hash = fingerprint(JSON.stringify(asks));
  return db.transaction().execute(async (trx) => {
    const time = now();
    await trx
      .deleteFrom('repeated_requests')
      .where('claim', '=', claim)
      .where('created_time', '<=', time - KEPT_S)
      .execute();
    // A second request waits here until the first has committed, and then finds its row.
    const claimed = await trx
      .insertInto('repeated_requests')
      .values({ claim, request_hash, reply_cipher: '', created_time: time })
      .onConflict((conflict) => conflict.column('claim').doNothing())
      .returning('claim')
      .executeTakeFirst();
    if (!claimed) {
      const known = await trx
        .selectFrom('repeated_requests')
        .where('claim', '=', claim)
        .select(['request_hash', 'reply_cipher'])
        .executeTakeFirstOrThrow();
      ensure(known.request_hash === request_hash, 'idempotency.reused');
      void reply.header('idempotent-replayed', 'true');
      return JSON.parse(secrets.decrypt(known.reply_cipher)) as T; // written below
    }
    const result = await work(trx);
    await trx
      .updateTable('repeated_requests')
      .set({ reply_cipher: secrets.encrypt(JSON.stringify(result)) })
      .where('claim', '=', claim)
      .execute();
    return result;
  });
}

/** Removes replies that can no longer be repeated. */
export async function pruneRepeated(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('repeated_requests')
    .where('created_time', '<=', now - KEPT_S)
    .execute();
}
