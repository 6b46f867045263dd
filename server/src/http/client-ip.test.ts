import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { clientIp, isSecure } from './client-ip.ts';

const trusted = new BlockList();
trusted.addAddress('127.0.0.1');
trusted.addSubnet('10.0.0.0', 8);
trusted.addAddress('::1', 'ipv6');

const nobody = new BlockList();

/** The parts of a request that are used. */
const from = (remoteAddress: string, headers: Record<string, string> = {}, socket: object = {}): IncomingMessage =>
  ({ socket: { remoteAddress, ...socket }, headers }) as unknown as IncomingMessage;

describe('the caller’s address', () => {
  test.each<[why: string, peer: string, forwarded: string | undefined, ip: string]>([
    ['the peer, when nothing is said', '203.0.113.9', undefined, '203.0.113.9'],
    ['the peer, whatever an untrusted one says', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['who spoke to the trusted proxy', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['the nearest that is not a proxy of ours', '127.0.0.1', '6.6.6.6, 198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['not what the caller made up in front', '127.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['the farthest proxy, when all are ours', '127.0.0.1', '10.0.0.5, 10.0.0.6', '10.0.0.5'],
    ['the proxy, when what it says is no address', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['what stands behind garbage', '127.0.0.1', 'garbage, 10.0.0.6', '10.0.0.6'],
    ['IPv6', '::1', '2001:db8::7', '2001:db8::7'],
    ['IPv4 on a dual-stack socket', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['an empty header', '127.0.0.1', '', '127.0.0.1'],
  ])('%s', (_, peer, forwarded, ip) => {
    expect(clientIp(from(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }), trusted)).toBe(ip);
  });

  test('without trusted proxies the header is ignored', () => {
    expect(clientIp(from('127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }), nobody)).toBe('127.0.0.1');
  });
});

describe('TLS', () => {
  const https = { 'x-forwarded-proto': 'https' };
  test.each<[why: string, request: IncomingMessage, secure: boolean]>([
    ['to this process', from('203.0.113.9', {}, { encrypted: true }), true],
    ['to a trusted proxy', from('127.0.0.1', https), true],
    ['plain to a trusted proxy', from('127.0.0.1', { 'x-forwarded-proto': 'http' }), false],
    ['as an untrusted peer says', from('203.0.113.9', https), false],
    ['not at all', from('127.0.0.1'), false],
  ])('%s', (_, request, secure) => {
    expect(isSecure(request, trusted)).toBe(secure);
  });
});
