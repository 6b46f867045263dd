import type { SessionUser } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { getEnabledUser, holdAccount, signInAtOnce } from '#features/account/access/account-session.ts';
import { countCodeTry } from '#features/account/user/login-throttle.ts';
import { clientIp } from '#http/client-ip.ts';
import { countTry, forgetStep, getStep, spendStep } from './login-step.ts';
import { spendRecoveryCode } from './recovery-codes.ts';
import { spendTotp } from './totp.ts';

const isDigits = (code: string): boolean => /^\d{6}$/.test(code);

/** Completes sign-in with a code. Throws `login.step_gone`, `totp.wrong`, `request.too_many`, `login.failed`. */
export async function takeStep(
  code: string,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<SessionUser> {
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
