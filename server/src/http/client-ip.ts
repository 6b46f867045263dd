import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** The client's address: the nearest one in X-Forwarded-For that is not a trusted proxy. */
export function clientIp(request: IncomingMessage, trusted: BlockList): string {
  let ip = plain(request.socket.remoteAddress ?? '');
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(ip, trusted)) return ip;
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',').map((hop) => plain(hop.trim()));
  for (const hop of hops.toReversed()) {
    // Trusted proxies write addresses only.
    if (isIP(hop) === 0) break;
    ip = hop;
    if (!isTrusted(ip, trusted)) break;
  }
  return ip;
}

/** Whether the client used TLS, to this process or to a trusted proxy. */
export function isSecure(request: IncomingMessage, trusted: BlockList): boolean {
  if ('encrypted' in request.socket) return true;
  return request.headers['x-forwarded-proto'] === 'https' && isTrustedProxy(request, trusted);
}

/** Whether the forwarding headers of a request can be trusted. */
export const isTrustedProxy = (request: IncomingMessage, trusted: BlockList): boolean =>
  isTrusted(plain(request.socket.remoteAddress ?? ''), trusted);

/** Whether an address belongs to a trusted proxy. */
export function isTrusted(ip: string, trusted: BlockList): boolean {
  const family = isIP(ip);
  return family !== 0 && trusted.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}

/** Dual-stack sockets report IPv4 addresses as IPv4-mapped IPv6. */
export const plain = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/, '');
