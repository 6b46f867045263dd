import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isIn, isPublic } from './outbound-address.ts';

/** Private networks that may be reached: all, or those in the list. */
export type PrivateNetworks = 'all' | BlockList;

/**
 * Networks that an address which is written out may name: this machine and the local ones, where model servers stand.
 * Not link-local ones, where clouds keep their metadata.
 */
const local = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  local.addSubnet(network, bits, 'ipv4');
local.addAddress('::1', 'ipv6');
local.addSubnet('fc00::', 7, 'ipv6');

const metadata = new BlockList();
metadata.addSubnet('fd00:ec2::', 32, 'ipv6');

const mayReach = (address: string, allowed: PrivateNetworks): boolean =>
  isPublic(address) || allowed === 'all' || isIn(allowed, address);

const isLocal = (address: string): boolean => isIn(local, address) && !isIn(metadata, address);

const isThisMachine = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** A connection that the outbound guard does not allow. */
export class PrivateAddress extends Error {
  readonly code = 'ERR_PRIVATE_ADDRESS';
}

const refused = (): PrivateAddress => new PrivateAddress('the address is in a private network');

/**
 * Throws for a host that is an IP address which an operator may not mean by it. One that is written out in a channel is
 * allowed by being written there, as long as it is of a local network; what a name leads to is `guardedLookup`'s.
 */
export function checkWrittenAddress(host: string, allowed: PrivateNetworks): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isLocal(address) && !mayReach(address, allowed)) throw refused();
}

/**
 * Looks a name up for a connection, which then goes to the very addresses that were checked. All of them must be
 * allowed: one that is not makes the others suspect.
 */
export function guardedLookup(
  allowed: PrivateNetworks,
  resolve: (host: string, options: { all: true }, done: Resolved) => void = lookup,
): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const may = ({ address }: LookupAddress) =>
        mayReach(address, allowed) || (isThisMachine(host) && isLocal(address));
      const [first] = addresses;
      if (!first || !addresses.every(may)) return done(refused(), []);
      if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
