import { isIPv6 } from 'node:net';

/** Key for counting attempts: the IPv4 address, or the /64 of an IPv6 address, since a client can use a whole /64. */
export const networkOf = (ip: string): string => (isIPv6(ip) ? front(ip, 4) : ip);

/** The /48 of an IPv6 address; undefined for IPv4. */
export const widerNetworkOf = (ip: string): string | undefined => (isIPv6(ip) ? front(ip, 3) : undefined);

/** The first groups of an IPv6 address, expanded. */
function front(ip: string, count: 3 | 4): string {
  const [address = ''] = ip.split('%');
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - first.length - back.length);
  const groups = [...first, ...Array.from({ length: missing }, () => '0'), ...back];
  return `${groups
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/${count * 16}`;
}
