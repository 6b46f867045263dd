import { userApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { clientIp } from '#http/client-ip.ts';
import { serve } from '#http/serve.ts';
import { closeSession, openSession } from '#http/session.ts';
import { checkLogin } from './login.ts';
import { getSelf, usageDays } from './user-queries.ts';

/** Wrong passwords per address before a pause. */
const LOGIN_TRIES = 20;
const LOGIN_WINDOW_S = 1200;

export function userRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now, limiter, config } = deps;

  serve(app, deps, userApi.login, async ({ body }, { request, reply }) => {
    const ip = clientIp(request.raw, config.trustedProxies);
    // Counted before the password is looked at, so that many tries at once are many; a right one is taken back.
    const seconds = await limiter.hit(`login:${ip}`, LOGIN_TRIES, LOGIN_WINDOW_S);
    if (seconds > 0) throw new AppError('request.too_many', { seconds });
    const user = await checkLogin(db, body.username, body.password);
    await limiter.takeBack(`login:${ip}`);
    await openSession(user.id, request, reply, deps);
    await db.updateTable('users').set({ last_login_time: now() }).where('id', '=', user.id).execute();
    return user;
  });

  serve(app, deps, userApi.logout, async (_, { request, reply }) => closeSession(request, reply, db));

  serve(app, deps, userApi.self, (_, { viewer }) => getSelf(db, viewer.id));
  serve(app, deps, userApi.dashboard, (_, { viewer }) => usageDays(db, viewer.id, now()));
}
