import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { holdAccount, noteSignIn } from '#features/account/access/account-session.ts';
import { openSession } from '#http/session/session.ts';
import { openStep } from './login-step.ts';
import { getTwoStep } from './totp.ts';

/**
 * Signs in an account after its password or identity was verified. With two-step verification on it starts the second
 * step in this browser and throws `login.second_factor`. If `passwordHash` is given and the password was changed during
 * the slow verification, throws `login.failed`.
 */
export async function completeSignIn(
  { userId, passwordHash }: { userId: number; passwordHash?: string },
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  const owesStep = await deps.db.transaction().execute(async (trx) => {
    const held = await holdAccount(trx, userId);
    ensure(passwordHash === undefined || held?.password_hash === passwordHash, 'login.failed');
    const { enabled } = await getTwoStep(trx, userId);
    if (!enabled) await noteSignIn(trx, userId, request, deps);
    await (enabled ? openStep : openSession)(userId, request, reply, { ...deps, db: trx });
    return enabled;
  });
  if (owesStep) throw new AppError('login.second_factor');
}
