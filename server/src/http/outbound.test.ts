import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BlockList } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutboundOptions } from './outbound.ts';
import { fetchGuarded } from './outbound.ts';
import { isPublic } from './outbound-address.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer;
const server = createServer((request, response) => answer(request, response));
let port: number;
beforeAll(async () => {
  // Every loopback address of this machine answers.
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port; // listening on a TCP port
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const nowhere = new BlockList();
/** Of this machine's addresses only the first: the others stand for what must not be reached. */
const first = new BlockList();
first.addAddress('127.0.0.1');

const options = (more: Partial<OutboundOptions> = {}): OutboundOptions => ({
  privateNetworks: first,
  maxBytes: 1000,
  timeoutMs: 3000,
  accept: 'application/json',
  field: 'address',
  ...more,
});
const text =
  (body: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);
const leadTo =
  (location: string): Answer =>
  (request, response) =>
    void (request.url === '/' ? response.writeHead(302, { location }).end() : response.end('arrived'));
const here = () => `http://127.0.0.1:${port}/`;

describe('a request with something of ours in it', () => {
  const sent = {
    method: 'POST',
    headers: { authorization: 'Bearer secret', 'content-type': 'text/plain' },
    body: 'told',
  };

  test('arrives whole, and every status is an answer', async () => {
    answer = (request, response) => {
      const { method, headers } = request;
      void request.toArray().then((pieces) => {
        const body = Buffer.concat(pieces as Buffer[]).toString(); // no encoding is set
        return response.writeHead(401).end([method, headers.authorization, headers['content-type'], body].join(' '));
      });
    };
    const { status, body } = await fetchGuarded(here(), options({ request: sent }));
    expect([status, body.toString()]).toEqual([401, 'POST Bearer secret text/plain told']);
  });

  test('is not sent on to where it is led', async () => {
    const paths: string[] = [];
    answer = (request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    expect(await fetchGuarded(here(), options({ request: sent }))).toMatchObject({ status: 302 });
    expect(paths).toEqual(['/']);
  });

  test('reaches no private network, and ends when it is told to', async () => {
    const address = `http://127.0.0.2:${port}/`;
    await expect(fetchGuarded(address, options({ request: sent }))).rejects.toMatchObject({ code: 'outbound.private' });
    answer = () => undefined;
    const over = new AbortController();
    setTimeout(() => over.abort(), 50);
    const asking = fetchGuarded(here(), options({ request: sent, signal: over.signal }));
    await expect(asking).rejects.toMatchObject({ code: 'outbound.timeout' });
  });
});

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
    await expect(fetchGuarded(address, options({ privateNetworks: nowhere }))).rejects.toMatchObject({
      code: 'outbound.private',
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
    answer = text('[1]', { 'content-type': 'application/json' });
    const fetched = await fetchGuarded(here(), options());
    expect({ ...fetched, body: fetched.body.toString() }).toEqual({
      address: here(),
      status: 200,
      contentType: 'application/json',
      body: '[1]',
    });
    await expect(fetchGuarded(`http://127.0.0.2:${port}/`, options())).rejects.toMatchObject({
      code: 'outbound.private',
    });
    await expect(fetchGuarded(`http://127.0.0.2:${port}/`, options({ privateNetworks: 'all' }))).resolves.toBeDefined();
  });
});

describe('a name whose address changes', () => {
  const changing = (...answers: string[]) => {
    const asked = { times: 0 };
    const resolve = async () => [{ address: answers[Math.min(asked.times++, answers.length - 1)]!, family: 4 }];
    return { asked, resolve };
  };

  test('is connected to at the address that was checked', async () => {
    let reached = '';
    answer = (request, response) => {
      reached = request.socket.localAddress ?? '';
      response.end('[]');
    };
    const { asked, resolve } = changing('127.0.0.1', '127.0.0.2');
    await fetchGuarded(`http://rebinding.example:${port}/`, options({ resolve }));
    expect(reached).toContain('127.0.0.1');
    expect(asked.times).toBe(1);
  });

  test('is checked again at every redirect', async () => {
    answer = leadTo('/next');
    const { resolve } = changing('127.0.0.1', '127.0.0.2');
    await expect(fetchGuarded(`http://rebinding.example:${port}/`, options({ resolve }))).rejects.toMatchObject({
      code: 'outbound.private',
    });
  });
});

describe('a redirect', () => {
  test('is followed', async () => {
    answer = leadTo('/next');
    const fetched = await fetchGuarded(here(), options());
    expect(fetched.address).toBe(`${here()}next`);
    expect(fetched.body.toString()).toBe('arrived');
  });

  test.each([
    ['http://127.0.0.2/', 'outbound.private'],
    ['http://0x7f.2/', 'outbound.private'],
    ['http://[::1]/', 'outbound.private'],
    ['//169.254.169.254/', 'outbound.private'],
    ['file:///etc/passwd', 'outbound.address'],
    ['http://user:password@127.0.0.1/', 'outbound.address'],
  ])('to %s is refused', async (location, code) => {
    answer = leadTo(location);
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({ code });
  });

  test('is followed three times, and not round and round', async () => {
    let count = 0;
    answer = (_, response) => {
      count++;
      response.writeHead(302, { location: `/${count}` }).end();
    };
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({ code: 'outbound.redirects' });
    expect(count).toBe(4);
  });
});

describe('an answer', () => {
  test('of another status than 200 is none', async () => {
    answer = (_, response) => void response.writeHead(404).end();
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({
      code: 'outbound.status',
      values: { status: 404 },
    });
  });

  test('that says it is too large is not read, and one that becomes so is cut off', async () => {
    answer = text('x'.repeat(1001));
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({ code: 'outbound.too_large' });
    let sent = 0;
    answer = (_, response) => {
      const more = setInterval(() => {
        sent += 100;
        response.write('x'.repeat(100));
      }, 1);
      response.on('close', () => clearInterval(more));
    };
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({ code: 'outbound.too_large' });
    expect(sent).toBeLessThan(20_000);
  });

  test.each<[string, Answer]>([
    ['that does not come', () => {}],
    ['that never ends', (_, response) => void response.writeHead(200).write('[')],
    [
      'that only leads on, slowly',
      (_, response) => void setTimeout(() => response.writeHead(302, { location: '/' }).end(), 150),
    ],
  ])('%s is not waited for', async (_, slow) => {
    answer = slow;
    const started = Date.now();
    await expect(fetchGuarded(here(), options({ timeoutMs: 300 }))).rejects.toMatchObject({ code: 'outbound.timeout' });
    expect(Date.now() - started).toBeLessThan(2000);
  });

  test('a look-up that does not come back is not waited for either', async () => {
    const resolve = () => new Promise<never>(() => {});
    await expect(fetchGuarded('http://slow.example', options({ resolve, timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'outbound.timeout',
    });
  });

  test('that breaks off, or a port where nobody is, is told', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      response.socket?.destroySoon();
    };
    await expect(fetchGuarded(here(), options())).rejects.toMatchObject({ code: 'outbound.failed' });
    await expect(fetchGuarded('http://127.0.0.1:1/', options())).rejects.toMatchObject({
      code: 'outbound.failed',
      values: { reason: 'ECONNREFUSED' },
    });
  });

  test('is asked for without anything of ours but what kind it should be', async () => {
    let headers: IncomingMessage['headers'] = {};
    answer = (request, response) => {
      headers = request.headers;
      response.end();
    };
    await fetchGuarded(here(), options());
    expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' });
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });
});
