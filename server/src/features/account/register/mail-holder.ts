import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config.ts';
import { isSecure } from '#http/client-ip.ts';
import { fingerprint } from '#secrets.ts';

const COOKIE = 'mail_code';
const LIFETIME_S = 600;

/** Which browser asked for a code: the hash of its cookie; empty for one that has none. */
export function holderOf(request: FastifyRequest): string {
  const value = /(?:^|;\s*)mail_code=([\w-]{43})/.exec(request.headers.cookie ?? '')?.[1];
  return value === undefined ? '' : fingerprint(value);
}

/** Gives a browser a cookie to come back with, and says what it is stored under. */
export function newHolder(request: FastifyRequest, reply: FastifyReply, { trustedProxies }: Config): string {
  const value = randomBytes(32).toString('base64url');
  const secure = isSecure(request.raw, trustedProxies) ? '; Secure' : '';
  void reply.header(
    'set-cookie',
    `${COOKIE}=${value}; Path=/api; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Strict${secure}`,
  );
  return fingerprint(value);
}
