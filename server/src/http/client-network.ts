import { isIPv6 } from 'node:net';

/** What tries are counted by: an IPv4 address, or the network of an IPv6 one, of which a caller has as many as it likes. */
export const networkOf = (ip: string): string => (isIPv6(ip) ? front(ip, 4) : ip);

/** The network from which somebody hands those out; undefined for an IPv4 address, of which nobody has many. */
export const widerNetworkOf = (ip: string): string | undefined => (isIPv6(ip) ? front(ip, 3) : undefined);

/** The first groups of an IPv6 address, without what can be left out of them. */
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
