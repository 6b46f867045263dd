import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BaseDeps } from '#base-deps.ts';
import { isSecure } from '#http/client-ip.ts';

/** A cookie that identifies a browser. Scripts cannot read it. */
export interface Cookie {
  name: string;
  path: string;
  lifetimeS: number;
  sameSite: 'Lax' | 'Strict';
}

/**
 * Strongest first. Browsers take `__Secure-` over TLS only, and `__Host-` only from the host itself for its whole site,
 * so neither a subdomain nor an attacker on plain HTTP can plant one. Without TLS there is no prefix.
 */
const prefixes = ['__Host-', '__Secure-', ''] as const;

export function setCookie(
  value: string,
  { name, path, lifetimeS, sameSite }: Cookie,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { config }: Pick<BaseDeps, 'config'>,
): void {
  const secure = isSecure(request.raw, config.trustedProxies);
  const prefix = secure ? prefixes[path === '/' && config.basePath === '' ? 0 : 1] : '';
  const attributes = `Path=${path}; Max-Age=${lifetimeS}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  void reply.header('set-cookie', `${prefix}${name}=${value}; ${attributes}`).header('cache-control', 'no-store');
}

/** Clears the cookie under each name that the browser has it under. */
export function clearCookie(
  { name, path, sameSite }: Cookie,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
  for (const prefix of prefixes) {
    if (valueOf(request.raw, prefix + name) === undefined) continue;
    const secure = prefix === '' ? '' : '; Secure';
    void reply.header(
      'set-cookie',
      `${prefix}${name}=; Path=${path}; Max-Age=0; HttpOnly; SameSite=${sameSite}${secure}`,
    );
  }
}

/** The value of a cookie, under its strongest name; undefined without one. Cookies of earlier versions have no prefix. */
export function cookieIn(
  request: Pick<IncomingMessage, 'headers'>,
  { name }: Pick<Cookie, 'name'>,
): string | undefined {
  for (const prefix of prefixes) {
    const value = valueOf(request, prefix + name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function valueOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && /^[\w-]{20,}$/.test(value) ? value : undefined;
}
