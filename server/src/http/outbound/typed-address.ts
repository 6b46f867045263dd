import { isIP } from 'node:net';
import { isThisMachine } from './outbound-lookup.ts';
import { privateRefusal, type Reach } from './reach.ts';

interface Where {
  /** The input field to report. */
  field: string;
  reach: Reach;
}

/**
 * Refuses an address entered by an operator if its host is an IP address that this server must not connect to. Names
 * are checked at each connection instead. Throws `outbound.private` and `outbound.never`.
 */
export function ensureReachable(address: string, { field, reach }: Where): void {
  const host = hostIn(address);
  if (host === undefined) return;
  const ips = isThisMachine(host) ? ['127.0.0.1', '::1'] : [host];
  const [verdict = 'allowed', ...others] = ips.filter((ip) => isIP(ip) !== 0).map(reach);
  // `localhost` has two addresses, and one allowed address is enough.
  if (verdict !== 'allowed' && !others.includes('allowed')) throw privateRefusal({ verdict, host }, field);
}

/** The host of an address or a bare host as a connection would parse it; undefined if it is none. */
export function hostIn(address: string): string | undefined {
  const bare = isIP(address) === 6 ? `[${address}]` : address;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(bare) ? bare.replace(/^socks5:/i, 'http:') : `http://${bare}`);
  return url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
