import { describe, expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { callRaw, type RawCaller } from '#testing/network/slow-caller.ts';
import { defaultPerAddress, defaultTotal } from './connection-limits.ts';

const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const refusedAs = (code: string) =>
  new RegExp(`^HTTP/1\\.1 503 [^]*Retry-After: 5\r\n[^]*"success":false[^]*"error":\\{"message":[^]*"code":"${code}"`);

/** Threads of all test files share the descriptors of the process, of which many systems allow only 1,024. */
const FLOOD = 60;

const endAll = async (callers: readonly RawCaller[]) => {
  for (const { socket } of callers) socket.destroy();
  await Promise.all(callers.map(({ closed }) => closed));
};

describe('connections of one address', () => {
  const hub = hubForSuite(newSqlite, { MAX_CONNECTIONS: '40', MAX_CONNECTIONS_PER_ADDRESS: '5' });
  const connections = () => hub().server.deps.connections;
  const from = '127.0.0.2';
  const open = (count: number) => Promise.all(Array.from({ length: count }, () => callRaw(hub().url, '', from)));

  test('are limited; the next one gets 503 with Retry-After, and other addresses are served', async () => {
    const before = connections().open;
    const held = await open(5);
    await expect.poll(() => connections().open, { message: 'open connections' }).toBeGreaterThanOrEqual(5);
    const { text } = await (await callRaw(hub().url, health, from)).closed;
    expect(text).toMatch(refusedAs('too_many_connections'));
    expect(connections().refused.get('address')).toBe(1);
    expect((await (await callRaw(hub().url, health, '127.0.0.3')).closed).text).toMatch(/^HTTP\/1\.1 200 /);

    await endAll(held.slice(0, 1));
    await expect
      .poll(async () => (await (await callRaw(hub().url, health, from)).closed).text)
      .toMatch(/^HTTP\/1\.1 200 /);
    await endAll(held);
    // Else the next test would find its places taken.
    await expect.poll(() => connections().open, { message: 'open connections' }).toBeLessThanOrEqual(before);
  });

  test('refused connections of a flood are not kept open', async () => {
    const before = connections().open;
    const held = await open(5);
    const refused = connections().refused.get('address') ?? 0;
    const flood = await Promise.allSettled(Array.from({ length: FLOOD }, () => callRaw(hub().url, health, from)));
    const came = flood.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(came.map(({ closed }) => closed));
    expect(connections().refused.get('address')).toBe(refused + FLOOD);
    await endAll(held);
    await expect.poll(() => connections().open, { message: 'open connections' }).toBeLessThanOrEqual(before);
    const metrics = await (await fetch(`${hub().url}/metrics`)).text();
    expect(metrics).toMatch(/^relay_hub_connections [1-9]/m);
    expect(metrics).toMatch(/^relay_hub_connections_refused_total\{reason="address"\} 6\d$/m);
  });
});

describe('connections in all', () => {
  const hub = hubForSuite(newSqlite, {
    MAX_CONNECTIONS: '20',
    MAX_CONNECTIONS_PER_ADDRESS: '4',
    TRUSTED_PROXIES: '127.0.0.2',
  });

  test('are limited in total, and a trusted proxy may use all of them', async () => {
    const { connections } = hub().server.deps;
    const held: RawCaller[] = [];
    // Connections that `fetch` keeps are counted, and may end meanwhile.
    const callWhenFull = async (from: string) => {
      while (connections.open < 20) held.push(await callRaw(hub().url, '', '127.0.0.2'));
      return (await (await callRaw(hub().url, health, from)).closed).text;
    };
    for (const from of ['127.0.0.2', '127.0.0.3'])
      await expect
        .poll(() => callWhenFull(from), { message: `a call of ${from}` })
        .toMatch(refusedAs('too_many_connections'));
    expect(held.length).toBeGreaterThan(4);
    expect([...connections.refused.keys()]).toEqual(['total']);
    await endAll(held);
    await expect
      .poll(async () => (await (await callRaw(hub().url, health, '127.0.0.3')).closed).text)
      .toMatch(/^HTTP\/1\.1 200 /);
  });
});

test.each([
  [1_048_576, 10_000, 2500],
  [20_000, 9936, 2484],
  [1024, 448, 224],
  [256, 64, 32],
  [64, 16, 8],
])('with %i file descriptors there are %i connections, and %i for one address', (files, total, perAddress) => {
  expect(defaultTotal(files)).toBe(total);
  expect(defaultPerAddress(total)).toBe(perAddress);
});
