import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { openUpstreams } from '#relay/upstream/upstreams.ts';
import { reachOf } from '#testing/network/outbound.ts';
import { checkWrittenAddress, guardedLookup } from './outbound-lookup.ts';
import { operatorReach, type Reach } from './reach.ts';

const none = reachOf('');
const tens = reachOf('10.0.0.0/8');
/** As `OUTBOUND_PRIVATE=allow`. */
const all = operatorReach({
  config: { outboundPrivate: 'allow' },
  live: { settings: { OutboundPrivateNetworks: new BlockList(), ChatImagePrivateNetworks: new BlockList() } },
});

/** A name server with fixed answers. */
const answering =
  (...addresses: string[]) =>
  (_host: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const lookUp = (host: string, reach: Reach, ...addresses: string[]): Promise<unknown> =>
  new Promise((resolve) => {
    guardedLookup(reach, answering(...addresses))(host, { all: true }, (error, found) =>
      resolve(error ? error.code : found),
    );
  });

test.each([
  ['127.0.0.1'],
  ['10.1.2.3'],
  ['192.168.1.1'],
  ['169.254.169.254'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['fd00::1'],
  ['0.0.0.0'],
])('a name that leads to %s is refused', async (address) => {
  expect(await lookUp('model.example', none, address)).toBe('ERR_PRIVATE_ADDRESS');
  expect(await lookUp('model.example', none, '93.184.216.34', address)).toBe('ERR_PRIVATE_ADDRESS');
  if (!address.startsWith('169.254')) expect(await lookUp('model.example', all, address)).toMatchObject([{ address }]);
});

test('a name connects to the address that was checked', async () => {
  expect(await lookUp('model.example', none, '93.184.216.34')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(await lookUp('model.example', tens, '10.1.2.3')).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect(await lookUp('model.example', tens, '192.168.1.1')).toBe('ERR_PRIVATE_ADDRESS');
  expect(await lookUp('localhost', none, '127.0.0.1')).toBe('ERR_PRIVATE_ADDRESS');
  const [four, six] = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect(await lookUp('localhost', reachOf('127.0.0.1'), '::1', '127.0.0.1'), 'either will do').toEqual([four]);
  expect(await lookUp('localhost', reachOf('127.0.0.1,::1'), '::1', '127.0.0.1')).toEqual([six, four]);
  expect(await lookUp('localhost', none, '169.254.169.254')).toBe('ERR_PRIVATE_ADDRESS');
});

test('a name that resolves differently the second time does not reach the new address', async () => {
  let times = 0;
  const rebinding = guardedLookup(none, (host, options, done) =>
    answering(times++ === 0 ? '93.184.216.34' : '127.0.0.1')(host, options, done),
  );
  const ask = () =>
    new Promise((resolve) => rebinding('rebind.example', {}, (error, address) => resolve(error?.code ?? address)));
  expect(await ask()).toBe('93.184.216.34');
  expect(await ask()).toBe('ERR_PRIVATE_ADDRESS');
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '[::1]',
  '[fd12::1]',
  '0.0.0.0',
])('%s is connected to once it is allowed', (host) => {
  expect(() => checkWrittenAddress(host, none)).toThrow('private network');
  expect(() => checkWrittenAddress(host, reachOf(host.replace(/[[\]]/g, '')))).not.toThrow();
  expect(() => checkWrittenAddress(host, all)).not.toThrow();
});

test.each(['8.8.8.8', '[2606:4700::1111]', 'model.example'])('%s needs no permission', (host) =>
  expect(() => checkWrittenAddress(host, none)).not.toThrow(),
);

test.each([
  '169.254.169.254',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[::a9fe:a9fe]',
])('%s is reached by nobody, whatever is allowed', (host) => {
  for (const reach of [none, all, reachOf('0.0.0.0/0,::/0')])
    expect(() => checkWrittenAddress(host, reach)).toThrow(expect.objectContaining({ verdict: 'never' }));
});

test('connections to upstreams and proxies follow the rule', async () => {
  const upstreams = openUpstreams(none);
  const get = { path: '/', method: 'GET', headers: {}, timeoutMs: 2000, maxBytes: 1000 } as const;
  const metadata = 'http://169.254.169.254';
  await expect(upstreams.ask({ ...get, baseUrl: metadata })).rejects.toThrow('not allowed');
  await expect(upstreams.ask({ ...get, baseUrl: 'http://127.0.0.1:9', proxy: metadata })).rejects.toThrow(
    'not allowed',
  );
  for (const host of ['169.254.169.254', '127.0.0.1', 'localhost'])
    await expect(upstreams.open({ ...get, baseUrl: `http://${host}:9` }), host).rejects.toThrow('not allowed');
  await expect(upstreams.open({ ...get, baseUrl: 'http://93.184.216.34', proxy: metadata })).rejects.toThrow(
    'not allowed',
  );
  await upstreams.close();
});

test('an address that is no longer allowed is not reached over an open connection', async () => {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let reach = reachOf('127.0.0.1');
  const upstreams = openUpstreams((ip) => reach(ip));
  const ask = (host: string) =>
    upstreams.ask({
      baseUrl: `http://${host}:${(server.address() as AddressInfo).port}`, // it listens on a TCP port
      path: '/',
      method: 'GET',
      headers: {},
      timeoutMs: 5000,
      maxBytes: 1000,
    });
  expect((await ask('127.0.0.1')).status).toBe(200);
  expect((await ask('localhost')).status).toBe(200);
  reach = none;
  upstreams.checkAnew();
  await expect(ask('127.0.0.1')).rejects.toThrow('not allowed');
  await expect(ask('localhost')).rejects.toThrow('not allowed');
  await upstreams.close();
  server.close();
});
