import type { FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { markProved } from '#http/session/recent-proof.ts';
import { sessionOf } from '#http/session/session.ts';
import { isPassword } from '#passwords.ts';
import { spendTotp } from './totp.ts';

/** Wrong passwords and codes of a session before a pause. */
const OWN_TRIES = 10;
const OWN_WINDOW_S = { password: 1200, code: 3600 };

/**
 * Counts a guess of the caller's own password or code before it is checked; call the returned function unless it was
 * wrong. Counted by session, so that a stolen one does not keep the owner from proving who they are. Throws
 * `request.too_many`.
 */
export async function countOwnTry(
  what: 'password' | 'code',
  userId: number,
  request: FastifyRequest,
  { limiter }: Pick<Deps, 'limiter'>,
): Promise<() => Promise<void>> {
  const tries = `own-${what}:${userId}:${sessionOf(request) ?? 'token'}`;
  const seconds = await limiter.hit(tries, OWN_TRIES, OWN_WINDOW_S[what]);
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  return () => limiter.takeBack(tries);
}

/**
 * Marks the session as proved if the password or the app's code is correct. Throws `proof.wrong`, `request.too_many`.
 */
export async function prove(
  userId: number,
  { password, code }: { password?: string | undefined; code?: string | undefined },
  request: FastifyRequest,
  deps: Deps,
): Promise<void> {
  const { db, secrets, now } = deps;
  const field = code === undefined ? 'password' : 'code';
  const takeBack = await countOwnTry(field, userId, request, deps);
  const right =
    code === undefined
      ? await isOwnPassword(userId, password ?? '', db)
      : await spendTotp(db, secrets, { userId, code, now: now() });
  ensure(right, 'proof.wrong', { field });
  await takeBack();
  await markProved(request, deps);
}

async function isOwnPassword(userId: number, password: string, db: Deps['db']): Promise<boolean> {
  const user = await db.selectFrom('users').where('id', '=', userId).select('password_hash').executeTakeFirst();
  return isPassword(password, user?.password_hash ?? '');
}
