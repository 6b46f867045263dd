import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** The caller's address: the nearest one in the chain of X-Forwarded-For that is not a trusted proxy. */
export function clientIp(request: IncomingMessage, trusted: BlockList): string {
  let ip = plain(request.socket.remoteAddress ?? '');
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(ip, trusted)) return ip;
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',').map((hop) => plain(hop.trim()));
  for (const hop of hops.toReversed()) {
    // Whatever is no address was not written by a proxy of ours.
    if (isIP(hop) === 0) break;
    ip = hop;
    if (!isTrusted(ip, trusted)) break;
  }
  return ip;
}

/** Whether the caller came over TLS, to this process or to a trusted proxy before it. */
export function isSecure(request: IncomingMessage, trusted: BlockList): boolean {
  if ('encrypted' in request.socket) return true;
  return request.headers['x-forwarded-proto'] === 'https' && isTrustedProxy(request, trusted);
}

/** Whether what a request's headers say of where it came from can be believed. */
export const isTrustedProxy = (request: IncomingMessage, trusted: BlockList): boolean =>
  isTrusted(plain(request.socket.remoteAddress ?? ''), trusted);

/** Whether an address is that of a trusted proxy. */
export function isTrusted(ip: string, trusted: BlockList): boolean {
  const family = isIP(ip);
  return family !== 0 && trusted.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}

/** IPv4 addresses on a dual-stack socket come wrapped. */
export const plain = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/, '');
