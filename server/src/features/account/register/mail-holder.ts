import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#config.ts';
import { isSecure } from '#http/client-ip.ts';
import { fingerprint } from '#secrets.ts';

const COOKIE = 'mail_code';
const LIFETIME_S = 600;

/** Identifies the requesting browser: the hash of its cookie, or '' without one. */
export function holderOf(request: FastifyRequest): string {
  const value = /(?:^|;\s*)mail_code=([\w-]{43})/.exec(request.headers.cookie ?? '')?.[1];
  return value === undefined ? '' : fingerprint(value);
}

/** Sets the identifying cookie and returns its hash. */
export function newHolder(request: FastifyRequest, reply: FastifyReply, { trustedProxies }: Config): string {
  const value = randomBytes(32).toString('base64url');
  const secure = isSecure(request.raw, trustedProxies) ? '; Secure' : '';
  void reply.header(
    'set-cookie',
    `${COOKIE}=${value}; Path=/api; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Strict${secure}`,
  );
  return fingerprint(value);
}
