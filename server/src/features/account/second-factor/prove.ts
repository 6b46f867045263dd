import type { FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { markProved } from '#http/session/recent-proof.ts';
import { isPassword } from '#passwords.ts';
import { checkTotp } from './take-step.ts';

/** Wrong passwords per account before a pause. */
const PASSWORD_TRIES = 10;
const PASSWORD_WINDOW_S = 1200;

/**
 * Marks the session as proved if the password or the app's code is correct. Throws `proof.wrong`, `request.too_many`.
 */
export async function prove(
  userId: number,
  { password, code }: { password?: string | undefined; code?: string | undefined },
  request: FastifyRequest,
  deps: Deps,
): Promise<void> {
  const right =
    code === undefined ? await isOwnPassword(userId, password ?? '', deps) : await checkTotp(userId, code, deps);
  ensure(right, 'proof.wrong', { field: code === undefined ? 'password' : 'code' });
  await markProved(request, deps);
}

async function isOwnPassword(userId: number, password: string, { db, limiter }: Deps): Promise<boolean> {
  // Shared with the password change, which guards the same secret.
  const tries = `own-password:${userId}`;
  const seconds = await limiter.hit(tries, PASSWORD_TRIES, PASSWORD_WINDOW_S);
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  const user = await db.selectFrom('users').where('id', '=', userId).select('password_hash').executeTakeFirst();
  const right = await isPassword(password, user?.password_hash ?? '');
  if (right) await limiter.takeBack(tries);
  return right;
}
