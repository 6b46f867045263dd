import { passkeyApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { getEnabledUser, signInAtOnce } from '#features/account/access/account-session.ts';
import { clientIp } from '#http/client-ip.ts';
import { networkOf } from '#http/client-network.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { addPasskey, beginPasskey } from './add-passkey.ts';
import { askForPasskey, checkPasskey } from './check-passkey.ts';
import { listPasskeys, removePasskey, renamePasskey } from './passkey-queries.ts';

/** Challenges and responses per network before a pause. */
const TRIES = 60;
const WINDOW_S = 600;

export function passkeyRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, limiter, config } = deps;

  const notTooOften = async (request: FastifyRequest): Promise<void> => {
    const network = networkOf(clientIp(request.raw, config.trustedProxies));
    const seconds = await limiter.hit(`passkey:${network}`, TRIES, WINDOW_S);
    if (seconds > 0) throw new AppError('request.too_many', { seconds });
  };

  serve(app, deps, passkeyApi.list, (_, { viewer }) => listPasskeys(db, viewer.id));
  serve(app, deps, passkeyApi.begin, async (_, { viewer, request, reply }) => {
    await ensureProved(request, deps);
    return beginPasskey(viewer, request, reply, deps);
  });
  serve(app, deps, passkeyApi.add, async ({ body }, { viewer, request }) => {
    await ensureProved(request, deps);
    return addPasskey(viewer, body, request, deps);
  });
  serve(app, deps, passkeyApi.rename, ({ params, body }, { viewer }) =>
    renamePasskey(db, viewer.id, params.id, body.name),
  );
  serve(app, deps, passkeyApi.remove, async ({ params }, { viewer, request }) => {
    await ensureProved(request, deps);
    return removePasskey(db, viewer.id, params.id);
  });

  serve(app, deps, passkeyApi.beginSignIn, async (_, { request, reply }) => {
    await notTooOften(request);
    return askForPasskey({ purpose: 'sign-in' }, request, reply, deps);
  });
  serve(app, deps, passkeyApi.signIn, async ({ body }, { request, reply }) => {
    await notTooOften(request);
    const user = await getEnabledUser(deps, await checkPasskey('sign-in', body, request, deps));
    await db.transaction().execute((trx) => signInAtOnce(user.id, request, reply, { ...deps, db: trx }));
    return user;
  });
}
