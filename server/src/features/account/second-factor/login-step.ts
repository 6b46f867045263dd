import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { clearCookie, type Cookie, cookieIn, setCookie } from '#http/session/cookies.ts';
import { fingerprint } from '#secrets.ts';

const STEP_S = 300;
const cookie: Cookie = { name: 'login_step', path: '/api/user/login', lifetimeS: STEP_S, sameSite: 'Strict' };
export const STEP_TRIES = 5;

export interface LoginStep {
  idHash: string;
  userId: number;
  expires: number;
  triesLeft: number;
}

/** Records that this browser has passed the password and owes the second step. */
export async function openStep(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  { db, now, config }: Deps,
): Promise<void> {
  const value = randomBytes(32).toString('base64url');
  await db.deleteFrom('login_steps').where('expires_time', '<=', now()).execute();
  await db
    .insertInto('login_steps')
    .values({ id_hash: fingerprint(value), user_id: userId, expires_time: now() + STEP_S })
    .execute();
  setCookie(value, cookie, { request, reply }, { config });
}

/** The pending step of the requesting browser. Throws `login.step_gone`. */
export async function getStep(request: FastifyRequest, { db, now }: Pick<Deps, 'db' | 'now'>): Promise<LoginStep> {
  const idHash = stepOf(request);
  const found =
    idHash === undefined
      ? undefined
      : await db
          .selectFrom('login_steps')
          .where('id_hash', '=', idHash)
          .where('expires_time', '>', now())
          .where('tries', '<', STEP_TRIES)
          .selectAll()
          .executeTakeFirst();
  ensure(found, 'login.step_gone');
  return {
    idHash: found.id_hash,
    userId: found.user_id,
    expires: found.expires_time,
    triesLeft: STEP_TRIES - found.tries,
  };
}

/**
 * Counts an attempt before the code is checked, so that concurrent attempts cannot exceed the limit. Returns the
 * attempts left. Throws `login.step_gone`.
 */
export async function countTry(step: LoginStep, { db }: Pick<Deps, 'db'>): Promise<number> {
  const counted = await db
    .updateTable('login_steps')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id_hash', '=', step.idHash)
    .where('tries', '<', STEP_TRIES)
    .returning('tries')
    .executeTakeFirst();
  ensure(counted, 'login.step_gone');
  return STEP_TRIES - counted.tries;
}

/**
 * Consumes a step; of two concurrent requests one succeeds. Throws `login.step_gone`, also for a step that has ended.
 */
export async function spendStep(step: LoginStep, { db }: Pick<Deps, 'db'>): Promise<void> {
  const spent = await db
    .deleteFrom('login_steps')
    .where('id_hash', '=', step.idHash)
    .returning('id_hash')
    .executeTakeFirst();
  ensure(spent, 'login.step_gone');
}

/** Clears the cookie of a completed step. */
export const forgetStep = (request: FastifyRequest, reply: FastifyReply): void =>
  clearCookie(cookie, { request, reply });

function stepOf(request: FastifyRequest): string | undefined {
  const value = cookieIn(request, cookie);
  return value === undefined ? undefined : fingerprint(value);
}
