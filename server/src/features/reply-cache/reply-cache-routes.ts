import { replyCacheApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';

const PERIOD_S = 30 * 86_400;
const LISTED = 20;

/** Size, use and clearing of the reply cache. */
export function replyCacheRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, replyCache, now } = deps;

  serve(app, deps, replyCacheApi.state, async () => {
    await replyCache.flush();
    const uses = db.selectFrom('reply_cache_uses').where('day', '>', now() - PERIOD_S);
    const { hits, misses, saved } = await uses
      .select(({ fn }) => [
        fn.sum<number | null>('hits').as('hits'),
        fn.sum<number | null>('misses').as('misses'),
        fn.sum<number | null>('saved').as('saved'),
      ])
      .executeTakeFirstOrThrow();
    const most = sql`sum(hits) + sum(misses)`;
    const models = await uses
      .where('model', '<>', '')
      .groupBy('model')
      .select(({ fn }) => ['model', fn.sum<number>('hits').as('hits'), fn.sum<number>('misses').as('misses')])
      .orderBy(most, 'desc')
      .orderBy('model')
      .limit(LISTED)
      .execute();
    const tokens = await uses
      .innerJoin('tokens', 'tokens.id', 'reply_cache_uses.token_id')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .groupBy(['tokens.id', 'tokens.name', 'users.username'])
      .select(({ fn }) => [
        'tokens.id as token_id',
        'tokens.name as token_name',
        'users.username',
        fn.sum<number>('hits').as('hits'),
        fn.sum<number>('misses').as('misses'),
      ])
      .orderBy(most, 'desc')
      .orderBy('tokens.id')
      .limit(LISTED)
      .execute();
    const size = await replyCache.size();
    return { ...size, hits: hits ?? 0, misses: misses ?? 0, saved: saved ?? 0, models, tokens };
  });

  serve(app, deps, replyCacheApi.clear, ({ query: { user_id: userId } }) => replyCache.clear(userId));
}
