import type { LookupAddress } from 'node:dns';
import { BlockList } from 'node:net';
import { expect, test } from 'vitest';
import { openUpstreams } from '#relay/upstreams.ts';
import { checkWrittenAddress, guardedLookup, type PrivateNetworks } from './outbound-lookup.ts';

const none = new BlockList();
const tens = new BlockList();
tens.addSubnet('10.0.0.0', 8, 'ipv4');

/** A name server whose answers are the test's. */
const answering =
  (...addresses: string[]) =>
  (_host: string, _options: object, done: (error: null, found: LookupAddress[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const lookUp = (host: string, allowed: PrivateNetworks, ...addresses: string[]): Promise<unknown> =>
  new Promise((resolve) => {
    guardedLookup(allowed, answering(...addresses))(host, { all: true }, (error, found) =>
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
  expect(await lookUp('model.example', 'all', address)).toMatchObject([{ address }]);
});

test('a name leads where it is checked to lead', async () => {
  expect(await lookUp('model.example', none, '93.184.216.34')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(await lookUp('model.example', tens, '10.1.2.3')).toEqual([{ address: '10.1.2.3', family: 4 }]);
  expect(await lookUp('model.example', tens, '192.168.1.1')).toBe('ERR_PRIVATE_ADDRESS');
  expect(await lookUp('localhost', none, '127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await lookUp('localhost', none, '169.254.169.254')).toBe('ERR_PRIVATE_ADDRESS');
});

test('a name that leads elsewhere the second time reaches nothing there', async () => {
  let times = 0;
  const rebinding = guardedLookup(none, (host, options, done) =>
    answering(times++ === 0 ? '93.184.216.34' : '127.0.0.1')(host, options, done),
  );
  const ask = () =>
    new Promise((resolve) => rebinding('rebind.example', {}, (error, address) => resolve(error?.code ?? address)));
  expect(await ask()).toBe('93.184.216.34');
  expect(await ask()).toBe('ERR_PRIVATE_ADDRESS');
});

test.each(['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '[::1]', '[fd12::1]', '8.8.8.8', 'model.example'])(
  '%s may be written into a channel',
  (host) => expect(() => checkWrittenAddress(host, none)).not.toThrow(),
);

test.each(['169.254.169.254', '[fe80::1]', '[fd00:ec2::254]', '0.0.0.0', '100.100.100.200', '[::ffff:a9fe:a9fe]'])(
  '%s may not, unless the operator allows it',
  (host) => {
    expect(() => checkWrittenAddress(host, none)).toThrow('private network');
    expect(() => checkWrittenAddress(host, 'all')).not.toThrow();
  },
);

test('connections to upstreams and proxies are held to it', async () => {
  const upstreams = openUpstreams(none);
  const get = { method: 'GET', headers: {}, body: undefined } as const;
  const metadata = 'http://169.254.169.254';
  await expect(upstreams.ask(metadata, '/', get, 2000, 1000)).rejects.toThrow('OUTBOUND_PRIVATE');
  await expect(upstreams.ask('http://127.0.0.1:9', '/', get, 2000, 1000, metadata)).rejects.toThrow('OUTBOUND_PRIVATE');
  await upstreams.close();
});
