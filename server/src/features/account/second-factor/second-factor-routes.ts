import { proofApi, secondStepApi, type SessionUser, totpApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { askForPasskey, checkPasskey } from '#features/account/passkey/check-passkey.ts';
import { listPasskeys } from '#features/account/passkey/passkey-queries.ts';
import { ensureProved, ensureProvedBrowser, markProved, provedUntil } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import type { Tables } from '#db/tables.ts';
import { endSessions } from '#features/account/access/end-access.ts';
import { ensureOutranks, holdPair } from '#features/account/access/user-rank.ts';
import { getEnabledUser, holdAccount, signInAtOnce } from '#features/account/access/account-session.ts';
import { countCodeTry } from '#features/account/user/login-throttle.ts';
import { clientIp } from '#http/client-ip.ts';
import { countTry, forgetStep, getStep, spendStep } from './login-step.ts';
import { prove } from './prove.ts';
import { beginTotp, enableTotp, getTwoStep, removeTotp, renewCodes, spendTotp } from './totp.ts';
import { spendRecoveryCode } from './recovery-codes.ts';

const isDigits = (code: string): boolean => /^\d{6}$/.test(code);

/** Completes sign-in with a code. Throws `login.step_gone`, `totp.wrong`, `request.too_many`, `login.failed`. */
async function takeStep(code: string, request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<SessionUser> {
  const step = await getStep(request, deps);
  const left = await countTry(step, deps);
  const right = isDigits(code)
    ? await isRightCode(step.userId, code, request, deps)
    : await spendRecoveryCode(deps.db, step.userId, code, deps.now());
  ensure(right || left > 0, 'login.step_gone');
  ensure(right, 'totp.wrong', { field: 'code', left });
  const user = await getEnabledUser(deps, step.userId);
  await deps.db.transaction().execute(async (trx) => {
    const within = { ...deps, db: trx };
    await holdAccount(trx, step.userId);
    await spendStep(step, within);
    await signInAtOnce(user.id, request, reply, within);
  });
  forgetStep(request, reply);
  return user;
}

async function isRightCode(userId: number, code: string, request: FastifyRequest, deps: Deps): Promise<boolean> {
  const { db, secrets, config, now } = deps;
  const takeBack = await countCodeTry(deps, userId, clientIp(request.raw, config.trustedProxies));
  const right = await spendTotp(db, secrets, { userId, code, now: now() });
  if (right) await takeBack();
  return right;
}

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

/**
 * Removes another user's second factor and passkeys and ends their sessions, for a lost device. Throws
 * `record.not_found`, `user.rank`, and `user.self`: administrators turn off their own with a proof.
 */
async function resetSecondFactor(
  db: Kysely<Tables>,
  actorId: number,
  id: number,
): Promise<{ totp: boolean; passkeys: number; ended: number }> {
  return db.transaction().execute(async (trx) => {
    const pair = await holdPair(trx, actorId, { id });
    ensureOutranks(pair);
    ensure(pair.actor.id !== pair.target.id, 'user.self');
    const totp = await removeTotp(trx, id);
    const passkeys = await trx.deleteFrom('passkeys').where('user_id', '=', id).returning('id').execute();
    await trx.deleteFrom('login_steps').where('user_id', '=', id).execute();
    return { totp, passkeys: passkeys.length, ended: await endSessions(trx, id) };
  });
}
