import { tokenAdminApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { getManagedToken, listAllTokens, transferToken } from './token-admin-queries.ts';
import { checkedLimits } from './token-limits.ts';
import { tellIgnoredQuota, updateToken } from './token-queries.ts';

/** Routes for tokens of all accounts. They never return a key. */
export function tokenAdminRoutes(app: FastifyInstance, deps: Deps): void {
  const { book, db, live, now } = deps;

  serve(app, deps, tokenAdminApi.list, async ({ query }, { viewer }) => {
    await live.keyUses.flush();
    return listAllTokens(db, viewer, query, now());
  });

  serve(app, deps, tokenAdminApi.get, async ({ params }, { viewer }) => {
    await live.keyUses.flush();
    return getManagedToken(db, viewer, params.id, now());
  });

  serve(app, deps, tokenAdminApi.update, async ({ params: { id }, body }, { viewer, ignored }) => {
    const { status, ...rest } = body;
    const before = await getManagedToken(db, viewer, id, now());
    const group = live.groups.get(before.user_group)?.token_limits;
    const limits = body.limits && checkedLimits(body.limits, group);
    // Returns idle leases first, so that a smaller quota applies at once.
    if (body.remain_quota !== undefined) await book.recall(before.user_id, id);
    ensure(status === undefined || status === 1 || status === 2, 'token.status', { field: 'status' });
    const updated = await updateToken(db, { userId: before.user_id, id }, { ...rest, status, limits }, now());
    tellIgnoredQuota(body, updated, ignored);
    await live.usersChanged(before.user_id);
    return getManagedToken(db, viewer, id, now());
  });

  serve(app, deps, tokenAdminApi.transfer, async ({ params: { id }, body: { user_id: to } }, { viewer }) => {
    const { user_id: from } = await getManagedToken(db, viewer, id, now());
    const mayUse = (symbol: string, userGroup: string): boolean =>
      symbol === '' || symbol === userGroup || live.groups.get(symbol)?.public === true;
    await book.recall(from, id);
    await transferToken(db, viewer, { id, from, to, mayUse });
    await live.usersChanged(from, to);
    return getManagedToken(db, viewer, id, now());
  });
}
