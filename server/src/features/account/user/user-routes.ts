import { userApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { completeSignIn } from '#features/account/second-factor/complete-sign-in.ts';
import { clientIp } from '#http/client-ip.ts';
import { serve } from '#http/serve.ts';
import { closeSession } from '#http/session/session.ts';
import { rememberLanguage } from '#mail/mail-language.ts';
import { countTry } from './login-throttle.ts';
import { checkLogin } from './login.ts';
import { getSelf, usageDays } from './user-queries.ts';

export function userRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now, live, config } = deps;

  serve(app, deps, userApi.login, async ({ body }, { request, reply }) => {
    ensure(live.settings.PasswordLoginEnabled, 'login.password_closed');
    const wasRight = await countTry(deps, body.username, clientIp(request.raw, config.trustedProxies));
    const { user, passwordHash } = await checkLogin(db, body.username, body.password);
    await wasRight();
    await rememberLanguage(db, user.id, request);
    await completeSignIn({ userId: user.id, passwordHash }, request, reply, deps);
    return user;
  });

  serve(app, deps, userApi.logout, async (_, { request, reply }) => closeSession(request, reply, db));

  serve(app, deps, userApi.self, (_, { viewer }) => getSelf(deps, viewer));
  serve(app, deps, userApi.dashboard, (_, { viewer }) => usageDays(db, viewer.id, now()));
}
