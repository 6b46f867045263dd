import { accessKeyApi, profileApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { actsForFamily } from '#http/session/access-token.ts';
import { ensureProved, ensureProvedOrFamily } from '#http/session/recent-proof.ts';
import { type Call, serve } from '#http/serve.ts';
import { closeSession, sessionOf, type Viewer } from '#http/session/session.ts';
import { webhookSecret } from '#tasks/notify/webhook-secret.ts';
import { endSessions, setAccessToken } from '#features/account/access/end-access.ts';
import { countOwnTry } from '#features/account/second-factor/prove.ts';
import * as keys from './access-keys.ts';
import { endSession, getSecurity, listSessions, makeAccessToken, setScope } from './own-access.ts';
import { closeOwnAccount, closingFacts } from './close-account.ts';
import { notifyPasswordChange } from './notify-password-change.ts';
import { updateSelf } from './update-self.ts';
import { getSelf } from './user-queries.ts';

/** Routes for one's own account. */
export function profileRoutes(app: FastifyInstance, deps: Deps): void {
  const { config, db, live, now } = deps;

  serve(app, deps, profileApi.update, async ({ body }, { viewer, request }) => {
    const forFamily = await actsForFamily(request, deps);
    const takeBack = body.password ? await countOwnTry('password', viewer.id, request, deps) : undefined;
    if (body.password) {
      // Without a current password to check, an open session alone must not be enough to set one.
      const { has_password: hasOne } = await getSecurity(deps, viewer.id);
      if (!hasOne && !forFamily) await ensureProved(request, deps);
    }
    const done = updateSelf(db, viewer.id, body, {
      session: sessionOf(request),
      isProved: forFamily,
      siteThreshold: live.settings.QuotaRemindThreshold,
      now: now(),
    });
    const disabled = await done.catch(async (error: unknown) => {
      if (!(error instanceof AppError && error.code === 'user.current_password')) await takeBack?.();
      throw error;
    });
    await live.usersChanged(viewer.id);
    await takeBack?.();
    const account = await getSelf(deps, viewer);
    if (disabled === undefined) return account;
    notifyPasswordChange(deps, viewer.id, { kind: 'passwordChanged', tokens: disabled });
    return { ...account, disabled_tokens: disabled };
  });

  serve(app, deps, profileApi.security, (_, { viewer }) => getSecurity(deps, viewer.id));

  serve(app, deps, profileApi.sessions, (_, { viewer, request }) =>
    listSessions(db, viewer.id, { current: sessionOf(request), now: now() }),
  );
  serve(app, deps, profileApi.endSession, ({ params }, { viewer }) => endSession(db, viewer.id, params.id));
  serve(app, deps, profileApi.endOtherSessions, async (_, { viewer, request }) => ({
    ended: await endSessions(db, viewer.id, sessionOf(request)),
  }));

  const make = async ({ viewer, request }: Call<Viewer>): Promise<string> => {
    await ensureProvedOrFamily(request, deps);
    return makeAccessToken(db, viewer.id, { now: now(), keepScope: await actsForFamily(request, deps) });
  };
  serve(app, deps, profileApi.makeAccessToken, (_, call) => make(call));
  serve(app, deps, profileApi.makeAccessTokenByGet, (_, call) => make(call));
  serve(app, deps, profileApi.removeAccessToken, (_, { viewer }) => setAccessToken(db, viewer.id, undefined));

  serve(app, deps, profileApi.setAccessTokenScope, async ({ body: { scope } }, { viewer, request }) => {
    // Taking it away must always be possible; a token must not widen itself.
    if (scope !== '') {
      ensure(live.settings.FamilyMode, 'family.off', { field: 'scope' });
      await ensureProved(request, deps);
    }
    await setScope(db, viewer.id, scope);
    return getSecurity(deps, viewer.id);
  });

  serve(app, deps, accessKeyApi.list, (_, { viewer }) => keys.listAccessKeys(db, viewer.id));
  serve(app, deps, accessKeyApi.create, async ({ body }, { viewer, request }) => {
    await ensureProved(request, deps);
    return keys.createAccessKey(db, viewer.id, body, now());
  });
  serve(app, deps, accessKeyApi.update, async ({ params, body }, { viewer, request }) => {
    await ensureProved(request, deps);
    return keys.updateAccessKey(db, { userId: viewer.id, id: params.id, now: now() }, body);
  });
  serve(app, deps, accessKeyApi.rotate, async ({ params }, { viewer, request }) => {
    await ensureProved(request, deps);
    return keys.rotateAccessKey(db, viewer.id, params.id);
  });
  serve(app, deps, accessKeyApi.remove, ({ params }, { viewer }) => keys.removeAccessKey(db, viewer.id, params.id));

  serve(app, deps, profileApi.closing, (_, { viewer }) => closingFacts(db, viewer.id));
  serve(app, deps, profileApi.close, async ({ body }, { viewer, request, reply }) => {
    // Against a call by mistake, since it takes nothing else.
    const isMeant = body.username.toLowerCase() === viewer.username.toLowerCase();
    ensure(isMeant, 'user.confirm', { field: 'username' });
    await ensureProved(request, deps);
    const by = { ip: clientIp(request.raw, config.trustedProxies), siteLanguage: live.settings.Language, now: now() };
    const closed = await closeOwnAccount(db, viewer.id, by);
    await live.usersChanged(viewer.id);
    await deps.replyCache.forget(viewer.id);
    await deps.contentLog.forget(viewer.id);
    await closeSession(request, reply, db);
    return closed;
  });

  serve(app, deps, profileApi.webhookSecret, async (_, { viewer }) => ({
    secret: webhookSecret(config.secretKey, viewer.id),
  }));
}
