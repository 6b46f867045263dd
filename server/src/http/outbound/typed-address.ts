import { isIP } from 'node:net';
import { isThisMachine } from './outbound-lookup.ts';
import { privateRefusal, type Reach } from './reach.ts';

interface Where {
  /** The input that is to blame. */
  field: string;
  reach: Reach;
}

/**
 * Refuses an address that an operator enters when it says by itself that it leads where this server must not connect to.
 * Names are not looked up here: they are checked at each connection. Throws `outbound.private` and `outbound.never`.
 */
export function ensureReachable(address: string, { field, reach }: Where): void {
  const host = hostIn(address);
  if (host === undefined) return;
  const ips = isThisMachine(host) ? ['127.0.0.1', '::1'] : [host];
  const [verdict = 'allowed', ...others] = ips.filter((ip) => isIP(ip) !== 0).map(reach);
  // Of the two addresses of this machine one will do.
  if (verdict !== 'allowed' && !others.includes('allowed')) throw privateRefusal({ verdict, host }, field);
}

/**
 * The host of an address as a connection would take it, however it is spelt; a host alone is one, too. Undefined for
 * what is no address.
 */
export function hostIn(address: string): string | undefined {
  const bare = isIP(address) === 6 ? `[${address}]` : address;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(bare) ? bare.replace(/^socks5:/i, 'http:') : `http://${bare}`);
  return url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
