import type { SessionUser } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { getEnabledUser, holdAccount, signInAtOnce } from '#features/account/access/account-session.ts';
import { countTry, forgetStep, getStep, spendStep } from './login-step.ts';
import { spendRecoveryCode } from './recovery-codes.ts';
import { spendTotp } from './totp.ts';

/** Wrong app codes per account, across all its steps, before a pause. Recovery codes are too long to guess. */
const CODE_TRIES = 10;
const CODE_WINDOW_S = 3600;

const isDigits = (code: string): boolean => /^\d{6}$/.test(code);

/** Checks an app code, with a limit on failed attempts per hour. Throws `request.too_many`. */
export async function checkTotp(userId: number, code: string, deps: Deps): Promise<boolean> {
  const { db, secrets, limiter, now } = deps;
  const tries = `totp:${userId}`;
  const seconds = await limiter.hit(tries, CODE_TRIES, CODE_WINDOW_S);
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  const right = await spendTotp(db, secrets, { userId, code, now: now() });
  if (right) await limiter.takeBack(tries);
  return right;
}

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
    ? await checkTotp(step.userId, code, deps)
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
