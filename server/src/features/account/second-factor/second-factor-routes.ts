import { proofApi, secondStepApi, totpApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { askForPasskey, checkPasskey } from '#features/account/passkey/check-passkey.ts';
import { listPasskeys } from '#features/account/passkey/passkey-queries.ts';
import { ensureProved, ensureProvedBrowser, markProved, provedUntil } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { getStep } from './login-step.ts';
import { prove } from './prove.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { takeStep } from './take-step.ts';
import { beginTotp, enableTotp, getTwoStep, removeTotp, renewCodes } from './totp.ts';

/** Routes for two-step verification, the second sign-in step and proofs of identity. */
export function secondFactorRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live, now } = deps;

  serve(app, deps, totpApi.get, (_, { viewer }) => getTwoStep(db, viewer.id));
  serve(app, deps, totpApi.begin, async (_, { viewer, request }) => {
    await ensureProved(request, deps);
    return beginTotp(db, secrets, viewer.id, { issuer: live.settings.SystemName, label: viewer.username });
  });
  serve(app, deps, totpApi.enable, async ({ body }, { viewer, request }) => {
    await ensureProved(request, deps);
    return { recovery_codes: await enableTotp(db, secrets, { userId: viewer.id, code: body.code, now: now() }) };
  });
  serve(app, deps, totpApi.renew, async (_, { viewer, request }) => {
    await ensureProved(request, deps);
    return { recovery_codes: await renewCodes(db, viewer.id) };
  });
  serve(app, deps, totpApi.disable, async (_, { viewer, request }) => {
    await ensureProved(request, deps);
    await db.transaction().execute((trx) => removeTotp(trx, viewer.id));
  });
  serve(app, deps, totpApi.reset, async ({ params }, { viewer, request }) => {
    await ensureProvedBrowser(request, deps);
    return resetSecondFactor(db, viewer.id, params.id);
  });

  serve(app, deps, secondStepApi.get, async (_, { request }) => {
    const step = await getStep(request, deps);
    const passkeys = await listPasskeys(db, step.userId);
    return { expires_time: step.expires, tries_left: step.triesLeft, passkey: passkeys.length > 0 };
  });
  serve(app, deps, secondStepApi.take, ({ body }, { request, reply }) => takeStep(body.code, request, reply, deps));

  serve(app, deps, proofApi.get, async (_, { viewer, request }) => {
    const user = await db
      .selectFrom('users')
      .where('id', '=', viewer.id)
      .select('password_hash')
      .executeTakeFirstOrThrow();
    return {
      password: user.password_hash !== '',
      totp: (await getTwoStep(db, viewer.id)).enabled,
      passkey: (await listPasskeys(db, viewer.id)).length > 0,
      proved_until: await provedUntil(request, deps),
    };
  });
  serve(app, deps, proofApi.prove, ({ body }, { viewer, request }) => prove(viewer.id, body, request, deps));
  serve(app, deps, proofApi.beginPasskey, (_, { viewer, request, reply }) =>
    askForPasskey({ purpose: 'prove', userId: viewer.id }, request, reply, deps),
  );
  serve(app, deps, proofApi.byPasskey, async ({ body }, { viewer, request }) => {
    ensure((await checkPasskey('prove', body, request, deps)) === viewer.id, 'passkey.failed');
    await markProved(request, deps);
  });
}
