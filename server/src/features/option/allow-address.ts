import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Language } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { isThisMachine } from '#http/outbound/outbound-lookup.ts';
import { isWithin, operatorReach, privateRefusal, worst } from '#http/outbound/reach.ts';
import { hostIn } from '#http/outbound/typed-address.ts';
import { endsOf, networkAround } from '#networks.ts';
import { changeOptions } from './change-options.ts';

const LOOKUP_MS = 5000;

/**
 * Adds a destination's private addresses to the allowed networks. Resolves with the networks added, none if all were
 * allowed already. Throws `outbound.address`, `outbound.unresolved`, `outbound.never`.
 */
export async function allowAddress(
  deps: Deps,
  address: string,
  actorId: number,
  language: Language,
): Promise<{ networks: string[] }> {
  const host = hostIn(address);
  ensure(host !== undefined && host !== '', 'outbound.address', { field: 'address' });
  const addresses = await addressesOf(host);
  const reach = operatorReach(deps);
  const verdict = worst(addresses.map(reach));
  if (verdict === 'never') throw privateRefusal({ verdict, host }, 'address');
  const missing = addresses.filter((ip) => reach(ip) !== 'allowed');
  const networks = [...new Set(missing.map((ip) => networkOf(ip, isIP(host) === 0 && !isThisMachine(host), deps)))];
  if (networks.length > 0) await changeOptions(deps, {}, { actorId, language }, networks);
  return { networks };
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // The server may listen on either.
  if (isThisMachine(host)) return ['127.0.0.1', '::1'];
  const late = AbortSignal.timeout(LOOKUP_MS);
  const given = Promise.withResolvers<never>();
  late.addEventListener('abort', () => given.reject(new Error('timeout')), { once: true });
  const found = await Promise.race([lookup(host, { all: true }), given.promise]).catch(() => []);
  if (found.length === 0) throw new AppError('outbound.unresolved', { field: 'address', host });
  return found.map(({ address }) => address);
}

/** A named host, such as a container, may get another address of the same network on restart. */
function networkOf(ip: string, hasName: boolean, { config }: Deps): string {
  const around = networkAround(ip);
  const ends = endsOf(around);
  const isLoopback = ip === '::1' || ip.startsWith('127.');
  return hasName && !isLoopback && ends.every((end) => isWithin(end, config.outboundPrivate)) ? around : ip;
}
