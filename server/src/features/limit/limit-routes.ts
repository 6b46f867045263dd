import { accountScope, limitApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { ensureManages } from '#features/account/access/user-rank.ts';
import { limitsWithUse, setLimits } from './subject-limits.ts';

export function limitRoutes(app: FastifyInstance, deps: Deps): void {
  const { book, db, live, now } = deps;
  const ofAccount = (id: number) => ({ accountId: id, scope: accountScope(id) });

  serve(app, deps, limitApi.self, async (_, { viewer }) => {
    await book.caughtUp();
    return limitsWithUse(db, ofAccount(viewer.id), now());
  });
  serve(app, deps, limitApi.get, async ({ params: { id } }, { viewer }) => {
    await ensureManages(db, viewer, id);
    await book.caughtUp();
    return limitsWithUse(db, ofAccount(id), now());
  });
  serve(app, deps, limitApi.set, async ({ params: { id }, body }, { viewer }) => {
    await ensureManages(db, viewer, id);
    await setLimits(db, ofAccount(id), body, now());
    await live.usersChanged(id);
    return limitsWithUse(db, ofAccount(id), now());
  });
}
