import { type Kysely, sql } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Counted often, and harmless if each node counts for itself. */
const ofNode = /^(?:billing|audit):/;
/** Average number of counts between two deletions of expired windows. */
const CLEAN_EVERY = 50;

/**
 * A rate limiter whose counters nodes share through their database, for deployments without Redis, so that two nodes do
 * not allow twice the password attempts. Only attempts are written, which are rare. If the database fails, each node
 * counts for itself.
 */
export function throughDatabase(local: RateLimiter, db: Kysely<Tables>): RateLimiter {
  let counts = 0;
  const orLocal = async <T>(name: string, shared: () => Promise<T>, own: () => Promise<T>): Promise<T> => {
    if (ofNode.test(name)) return own();
    try {
      return await shared();
    } catch {
      return own();
    }
  };
  const clean = async (nowMs: number): Promise<void> => {
    if (++counts % CLEAN_EVERY === 0) await db.deleteFrom('throttles').where('ends_ms', '<=', nowMs).execute();
  };
  return {
    ...local,
    hit(name, limit, windowS) {
      const shared = async () => {
        const nowMs = Date.now();
        await clean(nowMs);
        const { count, ends_ms: ends } = await db
          .insertInto('throttles')
          .values({ name, count: 1, ends_ms: nowMs + windowS * 1000 })
          .onConflict((conflict) =>
            conflict.column('name').doUpdateSet({
              count: sql<number>`case when throttles.ends_ms <= ${nowMs} then 1 else throttles.count + 1 end`,
              ends_ms: sql<number>`case when throttles.ends_ms <= ${nowMs} then excluded.ends_ms else throttles.ends_ms end`,
            }),
          )
          .returning(['count', 'ends_ms'])
          .executeTakeFirstOrThrow();
        return count > limit ? secondsUntil(ends, nowMs) : 0;
      };
      return orLocal(name, shared, () => local.hit(name, limit, windowS));
    },
    wait(name, limit) {
      const shared = async () => {
        const nowMs = Date.now();
        const found = await db
          .selectFrom('throttles')
          .where('name', '=', name)
          .where('ends_ms', '>', nowMs)
          .where('count', '>=', limit)
          .select('ends_ms')
          .executeTakeFirst();
        return found ? secondsUntil(found.ends_ms, nowMs) : 0;
      };
      return orLocal(name, shared, () => local.wait(name, limit));
    },
    takeBack(name) {
      const shared = async () => {
        await db
          .updateTable('throttles')
          .set({ count: sql<number>`count - 1` })
          .where('name', '=', name)
          .where('count', '>', 0)
          .execute();
      };
      return orLocal(name, shared, () => local.takeBack(name));
    },
  };
}

const secondsUntil = (endsMs: number, nowMs: number): number => Math.max(1, Math.ceil((endsMs - nowMs) / 1000));
