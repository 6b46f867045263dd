import { BlockList } from 'node:net';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { answeringForSuite, outboundOptions as options } from '#testing/outbound.ts';
import { encryptedForSuite, httpProxyForSuite, socksProxyForSuite } from '#testing/proxies.ts';
import { trustTestCertificate } from '#testing/tls-for-tests.ts';
import { fetchGuarded } from './outbound.ts';

const server = answeringForSuite();
const encrypted = encryptedForSuite(() => ({ url: server.here() }));
const proxies = { http: httpProxyForSuite(), https: httpProxyForSuite('https'), socks5: socksProxyForSuite() };
const schemes = Object.keys(proxies) as (keyof typeof proxies)[];
/** The certificate of the one that is encrypted is of a name. */
const addressOf = (scheme: keyof typeof proxies) =>
  `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${proxies[scheme]().port}`;
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const nowhere = new BlockList();

beforeAll(trustTestCertificate);
beforeEach(() => {
  for (const proxy of Object.values(proxies)) proxy().asked.length = 0;
});

/** What a proxy is asked for: an address, whatever the name was. */
const askedFor = (scheme: string, port: number) => `${scheme === 'socks5' ? '' : 'CONNECT '}127.0.0.1:${port}`;

test.each(schemes)('%s: a proxy is told the address that was checked, and the server the name', async (scheme) => {
  let told = '';
  server.answer = ({ headers }, response) => {
    told = headers.host ?? '';
    response.end('arrived');
  };
  const way = { proxy: addressOf(scheme), resolve };
  const open = await fetchGuarded(`http://pictures.example:${server.port}/`, options(way));
  expect(open.body.toString()).toBe('arrived');
  expect(told).toBe(`pictures.example:${server.port}`);
  const secret = await fetchGuarded(`https://localhost:${encrypted().port}/`, options(way));
  expect(secret.body.toString()).toBe('arrived');
  expect(proxies[scheme]().asked).toEqual([askedFor(scheme, server.port), askedFor(scheme, encrypted().port)]);
});

test.each(schemes)('%s: a certificate of another name is refused', async (scheme) => {
  const address = `https://pictures.example:${encrypted().port}/`;
  await expect(fetchGuarded(address, options({ proxy: addressOf(scheme), resolve }))).rejects.toMatchObject({
    code: 'outbound.failed',
  });
});

test.each(schemes)('%s: what may not be reached is not asked of a proxy, neither by a redirect', async (scheme) => {
  const proxy = addressOf(scheme);
  const inside = `http://127.0.0.2:${server.port}/`;
  await expect(fetchGuarded(inside, options({ proxy }))).rejects.toMatchObject({ code: 'outbound.private' });
  expect(proxies[scheme]().asked).toEqual([]);
  server.answer = (_, response) => void response.writeHead(302, { location: inside }).end();
  await expect(fetchGuarded(server.here(), options({ proxy }))).rejects.toMatchObject({ code: 'outbound.private' });
  expect(proxies[scheme]().asked).toHaveLength(1);
});

test('a proxy may be written out in a local network, and nowhere else that is not public', async () => {
  const reached = async (proxy: string) =>
    fetchGuarded('http://1.1.1.1/', options({ proxy, privateNetworks: nowhere, timeoutMs: 1000 })).catch(
      (error: unknown) => error,
    );
  expect(await reached('http://169.254.169.254:3128')).toMatchObject({ values: { reason: 'ERR_PRIVATE_ADDRESS' } });
  proxies.http().user = 'somebody:else';
  expect(await reached(addressOf('http'))).toMatchObject({ code: 'outbound.failed' });
  expect(proxies.http().asked).toEqual(['CONNECT 1.1.1.1:80']);
});
