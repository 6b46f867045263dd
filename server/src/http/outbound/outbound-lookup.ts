import { asError } from '#caught-error.ts';
import { type LookupAddress, lookup } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { PrivateAddress, type Reach, worst } from './reach.ts';

/** Whether a name means this machine, regardless of DNS. */
export const isThisMachine = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Throws `PrivateAddress` for a host that is a blocked IP address; `guardedLookup` checks names. */
export function checkWrittenAddress(host: string, reach: Reach): void {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) check(address, [address], reach);
}

function check(host: string, addresses: readonly string[], reach: Reach): void {
  const verdict = worst(addresses.map(reach));
  if (verdict !== 'allowed') throw new PrivateAddress(verdict, host);
}

/** The allowed addresses of a name. Throws `PrivateAddress`. */
export function reachable<T extends { address: string }>(host: string, found: readonly T[], reach: Reach): T[] {
  // `localhost` has two addresses, often with only one allowed.
  const allowed = isThisMachine(host) ? found.filter(({ address }) => reach(address) === 'allowed') : [];
  if (allowed.length > 0) return allowed;
  check(
    host,
    found.map(({ address }) => address),
    reach,
  );
  return [...found];
}

/**
 * A DNS lookup for a connection, which then uses exactly the addresses that were checked. All must be allowed: one that
 * is not makes all suspect.
 */
export function guardedLookup(
  reach: Reach,
  resolve: (host: string, options: { all: true }, done: Resolved) => void = lookup,
): LookupFunction {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      let found: LookupAddress[];
      try {
        found = reachable(host, addresses, reach);
      } catch (refusal) {
        return done(asError(refusal), []);
      }
      const [first] = found;
      if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
      if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

/** The addresses of a host to connect to. Rejects with `PrivateAddress`, or as the lookup does. */
export async function addressesOf(host: string, reach: Reach): Promise<string[]> {
  const found = isIP(host) === 0 ? await lookUp(host, { all: true }) : [{ address: host }];
  return reachable(host, found, reach).map(({ address }) => address);
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
