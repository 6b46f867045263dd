import { BlockList, isIP } from 'node:net';

/**
 * Every network outside the public internet: loopback, private, shared, link-local (cloud metadata), documentation,
 * benchmarking, multicast, reserved. Source: IANA's special-purpose registries.
 */
const special4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Globally routed addresses, without 6to4 and Teredo, which can embed any IPv4 address. */
const global6 = subnets('ipv6', ['2000::/3']);
const special6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']);

/** IPv4-mapped IPv6 addresses lead where their IPv4 address leads. */
const mapped = subnets('ipv6', ['::ffff:0:0/96']);

/** Whether an IP address is on the public internet. */
export function isPublic(ip: string): boolean {
  if (isIP(ip) === 4) return !special4.check(ip);
  if (isIP(ip) !== 6) return false;
  // A BlockList checks the IPv4 address inside a mapped one.
  if (mapped.check(ip, 'ipv6')) return !special4.check(ip, 'ipv6');
  return global6.check(ip, 'ipv6') && !special6.check(ip, 'ipv6');
}

/**
 * Link-local addresses and cloud metadata services, which hand out credentials, also when embedded in IPv6 (compatible,
 * NAT64, 6to4).
 */
const never4 = subnets('ipv4', ['169.254.0.0/16', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32']);
const never6 = subnets('ipv6', [
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  '::a9fe:0/112',
  '::6464:64c8/128',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::6464:64c8/128',
  '64:ff9b::a83f:8110/128',
  '64:ff9b:1::/48',
  '2002:a9fe::/32',
  '2002:6464:64c8::/48',
]);

/** Whether an IP address is blocked regardless of settings. */
export function isNeverReached(ip: string): boolean {
  if (isIP(ip) === 4) return never4.check(ip);
  if (isIP(ip) !== 6) return true;
  return mapped.check(ip, 'ipv6') ? never4.check(ip, 'ipv6') : never6.check(ip, 'ipv6');
}

function subnets(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
