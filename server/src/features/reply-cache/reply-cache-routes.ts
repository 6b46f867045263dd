import { replyCacheApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';

const PERIOD_S = 30 * 86_400;

/** Size, use and clearing of the reply cache. */
export function replyCacheRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, replyCache, now } = deps;

  serve(app, deps, replyCacheApi.state, async () => {
    await replyCache.flush();
    const { hits, misses, saved } = await db
      .selectFrom('reply_cache_days')
      .where('day', '>', now() - PERIOD_S)
      .select(({ fn }) => [
        fn.sum<number | null>('hits').as('hits'),
        fn.sum<number | null>('misses').as('misses'),
        fn.sum<number | null>('saved').as('saved'),
      ])
      .executeTakeFirstOrThrow();
    return { ...(await replyCache.size()), hits: hits ?? 0, misses: misses ?? 0, saved: saved ?? 0 };
  });

  serve(app, deps, replyCacheApi.clear, ({ query: { user_id: userId } }) => replyCache.clear(userId));
}
