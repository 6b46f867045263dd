import { BlockList, isIP } from 'node:net';

/**
 * Parses addresses and networks (`10.0.0.0/8`), separated by commas or line breaks; undefined if an entry is invalid.
 */
export function parseNetworks(list: string): BlockList | undefined {
  const networks = new BlockList();
  for (const entry of networksIn(list)) {
    const network = parseNetwork(entry);
    if (!network) return undefined;
    networks.addSubnet(network.ip, network.bits, network.family);
  }
  return networks;
}

/** Distinct entries of a list, as written. */
export const networksIn = (list: string): string[] => [
  ...new Set(
    list
      .split(/[,\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

/** Whether a list of networks contains an address. */
export const isIn = (networks: BlockList, ip: string): boolean => networks.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');

interface Network {
  ip: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

function parseNetwork(entry: string): Network | undefined {
  const [ip = '', prefix, extra] = entry.split('/');
  const version = isIP(ip);
  if (version === 0 || ip.includes('%') || extra !== undefined) return undefined;
  const [family, most] = version === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  if (prefix === undefined) return { ip, bits: most, family };
  const bits = Number(prefix);
  return /^\d+$/.test(prefix) && bits <= most ? { ip, bits, family } : undefined;
}

/** The first and last address of a network. Throws for an entry that `parseNetworks` rejects. */
export function endsOf(entry: string): [first: string, last: string] {
  const network = parseNetwork(entry);
  if (!network) throw new Error(`${entry} is not a network`);
  const { ip, bits, family } = network;
  const width = family === 'ipv4' ? 8 : 16;
  const end = (isLast: boolean): string => {
    const groups = groupsOf(ip, family).map((group, i) => {
      const rest = 2 ** (width - Math.min(width, Math.max(0, bits - i * width)));
      const first = Math.floor(group / rest) * rest;
      return isLast ? first + rest - 1 : first;
    });
    return family === 'ipv4' ? groups.join('.') : groups.map((group) => group.toString(16)).join(':');
  };
  return [end(false), end(true)];
}

function groupsOf(ip: string, family: Network['family']): number[] {
  if (family === 'ipv4') return ip.split('.').map(Number);
  // The URL parser writes an IPv4 address at the end as two groups.
  const [before = '', after] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** The /24 or /64 network of an address, within which containers and machines get new addresses. */
export const networkAround = (ip: string): string => canonicalNetwork(`${ip}/${isIP(ip) === 4 ? 24 : 64}`);

/**
 * The one spelling of an entry: the first address of the network, and its length unless it is a single address.
 * IPv4-mapped addresses are IPv4. Throws for an entry that `parseNetworks` rejects.
 */
export function canonicalNetwork(entry: string): string {
  const [, mapped, length = '128'] = /^::ffff:(\d+(?:\.\d+){3})(?:\/(\d+))?$/i.exec(entry) ?? [];
  if (mapped !== undefined && Number(length) >= 96) return canonicalNetwork(`${mapped}/${Number(length) - 96}`);
  const [first] = endsOf(entry);
  const isV4 = isIP(first) === 4;
  const ip = isV4 ? first : new URL(`http://[${first}]`).hostname.slice(1, -1);
  const most = isV4 ? '32' : '128';
  const bits = entry.split('/')[1] ?? most;
  return bits === most ? ip : `${ip}/${Number(bits)}`;
}

/** Networks in which an address is looked up in time that does not depend on their number. */
export class NetworkSet {
  readonly #byLength = { ipv4: new Map<number, Set<bigint>>(), ipv6: new Map<number, Set<bigint>>() };

  /** Ignores entries that `parseNetworks` rejects. */
  constructor(entries: Iterable<string>) {
    for (const entry of entries) {
      const network = parseNetwork(entry);
      if (!network) continue;
      const { ip, bits, family } = network;
      const lengths = this.#byLength[family];
      const known = lengths.get(bits) ?? new Set();
      known.add(bitsOf(ip, family) >> BigInt(widthOf[family] - bits));
      lengths.set(bits, known);
    }
  }

  has(ip: string): boolean {
    const version = isIP(ip);
    if (version === 0 || ip.includes('%')) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    const lengths = this.#byLength[family];
    if (lengths.size === 0) return false;
    const address = bitsOf(ip, family);
    for (const [bits, known] of lengths) if (known.has(address >> BigInt(widthOf[family] - bits))) return true;
    return false;
  }
}

const widthOf = { ipv4: 32, ipv6: 128 } as const;

const bitsOf = (ip: string, family: Network['family']): bigint =>
  groupsOf(ip, family).reduce((sum, group) => (sum << (family === 'ipv4' ? 8n : 16n)) | BigInt(group), 0n);
