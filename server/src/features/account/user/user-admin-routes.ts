import type { userEdit } from '@relay-hub/contract';
import { userAdminApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { ensureProvedBrowser } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { endSessions } from '#features/account/access/end-access.ts';
import { closingFacts, restoreAccount } from './close-account.ts';
import { listInviters } from './inviters.ts';
import { manageUser } from './manage-user.ts';
import { createUser, updateUser } from './save-user.ts';
import { notifyPasswordChange } from './notify-password-change.ts';
import { ensureOutranks, holdPair, outranks } from '#features/account/access/user-rank.ts';
import { getUser, listUsers } from './user-record.ts';

/**
 * Routes for managing users. Changes reach every node, so tokens stop at the next call. Setting a role, password or
 * address could hand over the account, so it needs a proof first.
 */
export function userAdminRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  /** A password, or an address that can receive a reset link. A record sent back unchanged grants neither. */
  const givesWayIn = async (viewer: Viewer, { id, password, email }: z.output<typeof userEdit>): Promise<boolean> => {
    if (password) return true;
    if (!email) return false;
    const before = await getUser(db, id);
    return outranks(viewer, before) && before.email !== email;
  };

  serve(app, deps, userAdminApi.list, ({ query }) => listUsers(db, query));

  serve(app, deps, userAdminApi.inviters, ({ query }) => listInviters(db, query));

  serve(app, deps, userAdminApi.get, async ({ params }, { viewer }) => {
    const user = await getUser(db, params.id);
    ensure(user.id === viewer.id || outranks(viewer, user), 'user.rank');
    return user;
  });

  serve(app, deps, userAdminApi.create, ({ body }, { viewer }) => createUser(db, viewer.id, body, now()));
  serve(app, deps, userAdminApi.update, async ({ body }, { viewer, request }) => {
    if (await givesWayIn(viewer, body)) await ensureProvedBrowser(request, deps);
    const updated = await updateUser(db, viewer.id, body, now());
    await live.usersChanged(body.id);
    const { id, disabled_tokens: tokens } = updated;
    if (tokens !== undefined) notifyPasswordChange(deps, id, { kind: 'passwordGiven', tokens });
    return updated;
  });
  serve(app, deps, userAdminApi.manage, async ({ body }, { viewer, request }) => {
    if (body.action === 'promote') await ensureProvedBrowser(request, deps);
    const managed = await manageUser(db, viewer.id, body, now());
    await live.usersChanged(managed.id);
    if (body.action === 'delete') await deps.replyCache.forget(managed.id);
    if (body.action === 'delete') await deps.contentLog.forget(managed.id);
    return managed;
  });
  serve(app, deps, userAdminApi.closing, async ({ params: { id } }, { viewer }) => {
    const user = await getUser(db, id);
    ensure(user.id === viewer.id || outranks(viewer, user), 'user.rank');
    return closingFacts(db, id);
  });
  serve(app, deps, userAdminApi.restore, async ({ params: { id }, body }, { viewer }) => {
    const restored = await restoreAccount(db, viewer.id, id, body);
    await live.usersChanged(id);
    return restored;
  });
  serve(app, deps, userAdminApi.remove, async ({ params: { id } }, { viewer }) => {
    await manageUser(db, viewer.id, { id, action: 'delete' }, now());
    await live.usersChanged(id);
    await deps.replyCache.forget(id);
    await deps.contentLog.forget(id);
  });

  serve(app, deps, userAdminApi.endSessions, ({ params }, { viewer }) =>
    db.transaction().execute(async (trx) => {
      ensureOutranks(await holdPair(trx, viewer.id, params));
      return { ended: await endSessions(trx, params.id) };
    }),
  );
}
