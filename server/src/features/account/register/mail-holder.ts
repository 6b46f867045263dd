import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config.ts';
import { type Cookie, cookieIn, setCookie } from '#http/session/cookies.ts';
import { fingerprint } from '#secrets.ts';

const cookie: Cookie = { name: 'mail_code', path: '/api', lifetimeS: 600, sameSite: 'Strict' };

/** Identifies the requesting browser: the hash of its cookie, or '' without one. */
export function holderOf(request: FastifyRequest): string {
  const value = cookieIn(request, cookie);
  return value === undefined ? '' : fingerprint(value);
}

/** Sets the identifying cookie and returns its hash. */
export function newHolder(request: FastifyRequest, reply: FastifyReply, config: Config): string {
  const value = randomBytes(32).toString('base64url');
  setCookie(value, cookie, { request, reply }, { config });
  return fingerprint(value);
}
