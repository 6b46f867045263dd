import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { type Cookie, cookieIn, setCookie } from '#http/session/cookies.ts';
import { sessionOf } from '#http/session/session.ts';
import { fingerprint } from '#secrets.ts';

const CHALLENGE_S = 300;
const cookie: Cookie = { name: 'passkey_step', path: '/api/user/login', lifetimeS: CHALLENGE_S, sameSite: 'Strict' };

/** A challenge is only valid for the purpose it was issued for. */
export type Purpose = 'add' | 'prove' | 'sign-in';

/** Stores a challenge for the requesting browser, replacing an earlier one of the same purpose. */
export async function keepChallenge(
  { purpose, challenge }: { purpose: Purpose; challenge: string },
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  const { db, now } = deps;
  const holder = purpose === 'sign-in' ? newHolder(request, reply, deps) : holderOf(purpose, request);
  ensure(holder !== undefined, 'session.proof');
  const expires_time = now() + CHALLENGE_S;
  await db.deleteFrom('passkey_challenges').where('expires_time', '<=', now()).execute();
  await db
    .insertInto('passkey_challenges')
    .values({ holder, purpose, challenge, expires_time })
    .onConflict((clash) => clash.columns(['holder', 'purpose']).doUpdateSet({ challenge, expires_time }))
    .execute();
}

/** Consumes and returns this browser's challenge. Throws `passkey.failed`. */
export async function takeChallenge(
  purpose: Purpose,
  request: FastifyRequest,
  { db, now }: Pick<Deps, 'db' | 'now'>,
): Promise<string> {
  const holder = holderOf(purpose, request);
  const taken =
    holder === undefined
      ? undefined
      : await db
          .deleteFrom('passkey_challenges')
          .where('holder', '=', holder)
          .where('purpose', '=', purpose)
          .returning(['challenge', 'expires_time'])
          .executeTakeFirst();
  ensure(taken && taken.expires_time > now(), 'passkey.failed');
  return taken.challenge;
}

/** Visitors without a session are identified by a separate cookie. */
function newHolder(request: FastifyRequest, reply: FastifyReply, { config }: Pick<Deps, 'config'>): string {
  const value = randomBytes(32).toString('base64url');
  setCookie(value, cookie, { request, reply }, { config });
  return fingerprint(value);
}

function holderOf(purpose: Purpose, request: FastifyRequest): string | undefined {
  if (purpose !== 'sign-in') return sessionOf(request);
  const value = cookieIn(request, cookie);
  return value === undefined ? undefined : fingerprint(value);
}
