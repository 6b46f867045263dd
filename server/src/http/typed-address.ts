import { isIP } from 'node:net';
import { AppError } from '#errors.ts';
import { isIn, isPublic } from './outbound-address.ts';
import { checkWrittenAddress, PrivateAddress, type PrivateNetworks } from './outbound-lookup.ts';

interface Where {
  /** The input that is to blame. */
  field: string;
  /** Private networks that may be reached. */
  allowed: PrivateNetworks;
}

/**
 * Refuses an address to fetch from when it says by itself that it leads into a private network, so that whoever types it
 * learns it at once. Where a name leads is not asked here: it may be another place by the time of the fetch, which looks
 * again. Throws `outbound.private`.
 */
export function ensureFetchable(address: string, { field, allowed }: Where): void {
  const host = hostOf(address);
  if (host === undefined) return;
  const ips = isThisMachine(host) ? ['127.0.0.1'] : isIP(host) === 0 ? [] : [host];
  if (allowed === 'all' || ips.every((ip) => isPublic(ip) || isIn(allowed, ip))) return;
  throw new AppError('outbound.private', { field, host });
}

/**
 * The same for an upstream or a proxy of a channel, where an address of a local network that is written out is meant: see
 * `checkWrittenAddress`. Throws `outbound.private`.
 */
export function ensureConnectable(address: string, { field, allowed }: Where): void {
  const host = hostOf(address);
  if (host === undefined) return;
  try {
    checkWrittenAddress(host, allowed);
  } catch (error) {
    if (!(error instanceof PrivateAddress)) throw error;
    throw new AppError('outbound.private', { field, host });
  }
}

/** The host as a connection would take it, however it is spelt; undefined for what is no address. */
function hostOf(address: string): string | undefined {
  const url = URL.parse(address.replace(/^socks5:/, 'http:'));
  return url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

const isThisMachine = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
