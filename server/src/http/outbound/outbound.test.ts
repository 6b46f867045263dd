import { describe, expect, test } from 'vitest';
import {
  type RequestHandler,
  answeringForSuite,
  outboundOptions as options,
  reachOf,
} from '#testing/network/outbound.ts';
import type { OutboundOptions } from './outbound.ts';
import { fetchGuarded } from './outbound.ts';
import { isPublic } from './outbound-address.ts';

const server = answeringForSuite();
const text =
  (body: string, headers: Record<string, string> = {}): RequestHandler =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);
const leadTo =
  (location: string): RequestHandler =>
  (request, response) =>
    void (request.url === '/' ? response.writeHead(302, { location }).end() : response.end('arrived'));

describe('addresses of the public internet', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
  ])('%s is one', (ip) => expect(isPublic(ip)).toBe(true));

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:53aa::1',
    '100::1',
    'localhost',
    '127.0.0.1.example',
    '',
  ])('%s is none', (ip) => expect(isPublic(ip)).toBe(false));
});

describe('an address that was typed in', () => {
  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://017700000001',
    'http://0177.0.0.1',
    'http://127.0.0.1.',
    'http://①②⑦.⓪.⓪.①',
    'http://127。0。0。1',
    'http://0',
    'http://0.0.0.0',
    'http://[::1]',
    'http://[::]',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[fe80::1]',
    'http://[fd00::1]',
    'http://[64:ff9b::7f00:1]',
    'https://169.254.169.254/latest/meta-data',
    'http://10.0.0.1',
    'http://192.168.0.1:8080',
    'http://100.100.100.200',
    'http://localhost',
    'http://LOCALHOST',
  ])('%s leads into a private network and is refused', async (address) => {
    await expect(fetchGuarded(address, options({ reach: reachOf('') }))).rejects.toMatchObject({
      code: expect.stringMatching(/^outbound\.(private|never)$/),
      field: 'address',
    });
  });

  test.each([
    'file:///etc/passwd',
    'ftp://example.com',
    'gopher://example.com',
    'data:application/json,[]',
    'javascript:0',
    '//example.com',
    'example.com',
    '',
    'http://',
    'http://[',
    'http://user@example.com',
    'https://u:p@example.com',
    'http://127.0.0.1:99999',
  ])('%s is no address to fetch from', async (address) => {
    await expect(fetchGuarded(address, options())).rejects.toMatchObject({
      code: 'outbound.address',
      field: 'address',
    });
  });

  test('is refused when a single one of its addresses is private', async () => {
    const resolve = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    await expect(fetchGuarded('http://mixed.example', options({ resolve }))).rejects.toMatchObject({
      code: 'outbound.private',
    });
  });

  test.each<[string, OutboundOptions['resolve']]>([
    ['cannot be found', async () => Promise.reject(new Error('ENOTFOUND'))],
    ['has no address', async () => []],
  ])('that %s is told so', async (_, resolve) => {
    await expect(fetchGuarded('http://nothing.example', options({ resolve: resolve! }))).rejects.toMatchObject({
      code: 'outbound.unresolved',
    });
  });

  test('that an operator allows is fetched from', async () => {
    server.answer = text('[1]', { 'content-type': 'application/json' });
    const fetched = await fetchGuarded(server.here(), options());
    expect({ ...fetched, body: fetched.body.toString() }).toMatchObject({
      address: server.here(),
      status: 200,
      contentType: 'application/json',
      headers: { 'content-type': 'application/json' },
      body: '[1]',
    });
    await expect(fetchGuarded(`http://127.0.0.2:${server.port}/`, options())).rejects.toMatchObject({
      code: 'outbound.private',
    });
    await expect(
      fetchGuarded(`http://127.0.0.2:${server.port}/`, options({ reach: reachOf('127.0.0.0/8') })),
    ).resolves.toBeDefined();
  });
});

describe('a name whose address changes', () => {
  const changing = (...answers: string[]) => {
    const asked = { times: 0 };
    const resolve = async () => [{ address: answers[Math.min(asked.times++, answers.length - 1)]!, family: 4 }];
    return { asked, resolve };
  };

  test('is connected to at the checked address', async () => {
    let reached = '';
    server.answer = (request, response) => {
      reached = request.socket.localAddress ?? '';
      response.end('[]');
    };
    const { asked, resolve } = changing('127.0.0.1', '127.0.0.2');
    await fetchGuarded(`http://rebinding.example:${server.port}/`, options({ resolve }));
    expect(reached).toContain('127.0.0.1');
    expect(asked.times).toBe(1);
  });

  test('is checked again at every redirect', async () => {
    server.answer = leadTo('/next');
    const { resolve } = changing('127.0.0.1', '127.0.0.2');
    await expect(fetchGuarded(`http://rebinding.example:${server.port}/`, options({ resolve }))).rejects.toMatchObject({
      code: 'outbound.private',
    });
  });
});

describe('a redirect', () => {
  test('is followed', async () => {
    server.answer = leadTo('/next');
    const fetched = await fetchGuarded(server.here(), options());
    expect(fetched.address).toBe(`${server.here()}next`);
    expect(fetched.body.toString()).toBe('arrived');
  });

  test.each([
    ['http://127.0.0.2/', 'outbound.private'],
    ['http://0x7f.2/', 'outbound.private'],
    ['http://[::1]/', 'outbound.private'],
    ['//169.254.169.254/', 'outbound.never'],
    ['file:///etc/passwd', 'outbound.address'],
    ['http://user:password@127.0.0.1/', 'outbound.address'],
  ])('to %s is refused', async (location, code) => {
    server.answer = leadTo(location);
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({ code });
  });

  test('is followed at most three times', async () => {
    let count = 0;
    server.answer = (_, response) => {
      count++;
      response.writeHead(302, { location: `/${count}` }).end();
    };
    await expect(fetchGuarded(server.here(), options())).rejects.toMatchObject({ code: 'outbound.redirects' });
    expect(count).toBe(4);
  });
});
