import { asError } from '#caught-error.ts';
import type { Logger } from 'pino';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { noSiblings, type Siblings } from '#process/siblings.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { throughDatabase } from './shared-throttle.ts';
import { MinuteRates, type Rate, takeInRedis } from './minute-rates.ts';

/**
 * Counters in Redis if configured, shared by nodes; else in `shared`, the common database of several nodes; else in
 * this process, or with workers in their primary process.
 */
export async function openRateLimiter(
  redisUrl: string | undefined,
  log: Logger,
  shared?: Kysely<Tables>,
  siblings: Pick<Siblings, 'exist' | 'ask'> = noSiblings,
): Promise<RateLimiter> {
  const local = siblings.exist ? limiterOfPrimary(siblings) : memoryLimiter();
  if (redisUrl === undefined) return shared ? throughDatabase(local, shared) : local;
  const { Redis } = await import('ioredis'); // not loaded by the many servers that have none
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1, commandTimeout: 500, keyPrefix: 'relay-hub:' });
  // Logged once per outage, not per call.
  let away = false;
  const isAway = (error: Error): void => {
    if (!away) log.warn({ err: error.message }, 'redis is not reachable; this node counts for itself');
    away = true;
  };
  redis.on('error', isAway);
  redis.on('ready', () => {
    if (away) log.info('redis is reachable again');
    away = false;
  });
  const takeShared = async (userId: number, limit: number): Promise<Rate> => {
    try {
      // A changed limit starts with its full allowance.
      const reply = await redis.eval(takeInRedis, 1, `rate:${limit}:${userId}`, limit);
      const [remaining, waitMs, resetMs] = reply as [number, number, number]; // what the script returns
      return { limit, remaining, waitMs, resetMs };
    } catch (error) {
      isAway(asError(error));
      return local.takeCall(userId, limit);
    }
  };
  return {
    async hit(name, limit, windowS) {
      try {
        const key = `limit:${name}`;
        const [count, wait] = await redis
          .multi()
          .incr(key)
          .expire(key, windowS, 'NX')
          .ttl(key)
          .exec()
          .then((replies) => [Number(replies?.[0]?.[1]), Number(replies?.[2]?.[1])] as const);
        return count > limit ? Math.max(1, wait) : 0;
      } catch {
        // With Redis down, the limit still applies: this node counts for itself.
        return local.hit(name, limit, windowS);
      }
    },
    async wait(name, limit) {
      try {
        const key = `limit:${name}`;
        const [count, wait] = await Promise.all([redis.get(key), redis.ttl(key)]);
        return Number(count) >= limit ? Math.max(1, wait) : 0;
      } catch {
        return local.wait(name, limit);
      }
    },
    async takeBack(name) {
      try {
        // A counter that has expired meanwhile must not come back below zero, and without an expiry.
        await redis.eval(
          "if redis.call('exists', KEYS[1]) == 1 then redis.call('decr', KEYS[1]) end",
          1,
          `limit:${name}`,
        );
      } catch {
        await local.takeBack(name);
      }
    },
    takeCall(userId, perMinute) {
      // Do not wait for a connection that is down.
      if (redis.status !== 'ready' || perMinute === 0) return local.takeCall(userId, perMinute);
      return takeShared(userId, perMinute);
    },
    get redis() {
      return redis.status === 'ready' ? 'ready' : 'away';
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** A method of the limiter in the primary process, and its arguments. */
export type LimiterQuestion = [method: 'hit' | 'wait' | 'takeBack' | 'takeCall', ...args: unknown[]];

/** Counts in the primary process, for all its workers. */
function limiterOfPrimary({ ask }: Pick<Siblings, 'ask'>): RateLimiter {
  const asked = (...question: LimiterQuestion) => ask('limiter', question) as Promise<never>; // what the method returns
  return {
    hit: (...args) => asked('hit', ...args),
    wait: (...args) => asked('wait', ...args),
    takeBack: (...args) => asked('takeBack', ...args),
    takeCall: (...args) => asked('takeCall', ...args),
    redis: 'none',
    async close() {},
  };
}

/** Counters in the memory of this process. */
export function memoryLimiter(): RateLimiter {
  const windows = new Map<string, { count: number; endsMs: number }>();
  const rates = new MinuteRates();
  const KEPT = 100_000;
  return {
    async hit(name, limit, windowS) {
      const nowMs = Date.now();
      let window = windows.get(name);
      if (!window || window.endsMs <= nowMs) {
        if (windows.size >= KEPT) for (const [key, { endsMs }] of windows) if (endsMs <= nowMs) windows.delete(key);
        windows.set(name, (window = { count: 0, endsMs: nowMs + windowS * 1000 }));
      }
      window.count++;
      return window.count > limit ? Math.ceil((window.endsMs - nowMs) / 1000) : 0;
    },
    async wait(name, limit) {
      const [window, nowMs] = [windows.get(name), Date.now()];
      return window && window.count >= limit && window.endsMs > nowMs ? Math.ceil((window.endsMs - nowMs) / 1000) : 0;
    },
    async takeBack(name) {
      const window = windows.get(name);
      if (window && window.count > 0) window.count--;
    },
    takeCall: (userId, perMinute) => rates.take(userId, perMinute, Date.now()),
    redis: 'none',
    async close() {},
  };
}
