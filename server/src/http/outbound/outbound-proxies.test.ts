import { beforeAll, beforeEach, expect, test } from 'vitest';
import { answeringForSuite, outboundOptions as options, reachOf } from '#testing/network/outbound.ts';
import { encryptedForSuite, httpProxyForSuite, socksProxyForSuite } from '#testing/network/proxies.ts';
import { trustTestCertificate } from '#testing/network/tls-for-tests.ts';
import { fetchGuarded } from './outbound.ts';

const server = answeringForSuite();
const encrypted = encryptedForSuite(() => ({ url: server.here() }));
const proxies = { http: httpProxyForSuite(), https: httpProxyForSuite('https'), socks5: socksProxyForSuite() };
const schemes = Object.keys(proxies) as (keyof typeof proxies)[];
/** The certificate of the encrypted proxy is for a name. */
const addressOf = (scheme: keyof typeof proxies) =>
  `${scheme}://${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${proxies[scheme]().port}`;
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

beforeAll(trustTestCertificate);
beforeEach(() => {
  for (const proxy of Object.values(proxies)) proxy().requested.length = 0;
});

/** A proxy must be asked for an IP address, never a name. */
const askedFor = (scheme: string, port: number) => `${scheme === 'socks5' ? '' : 'CONNECT '}127.0.0.1:${port}`;

test.each(schemes)('%s: the proxy gets the checked IP address, and the server the name', async (scheme) => {
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
  expect(proxies[scheme]().requested).toEqual([askedFor(scheme, server.port), askedFor(scheme, encrypted().port)]);
});

test.each(schemes)('%s: a certificate of another name is refused', async (scheme) => {
  const address = `https://pictures.example:${encrypted().port}/`;
  await expect(fetchGuarded(address, options({ proxy: addressOf(scheme), resolve }))).rejects.toMatchObject({
    code: 'outbound.failed',
  });
});

test.each(schemes)('%s: a proxy is not used to reach blocked addresses, also after a redirect', async (scheme) => {
  const proxy = addressOf(scheme);
  const inside = `http://127.0.0.2:${server.port}/`;
  await expect(fetchGuarded(inside, options({ proxy }))).rejects.toMatchObject({ code: 'outbound.private' });
  expect(proxies[scheme]().requested).toEqual([]);
  server.answer = (_, response) => void response.writeHead(302, { location: inside }).end();
  await expect(fetchGuarded(server.here(), options({ proxy }))).rejects.toMatchObject({ code: 'outbound.private' });
  expect(proxies[scheme]().requested).toHaveLength(1);
});

test('the proxy has its own rule, separate from that of the address', async () => {
  const reached = async (proxy: string, networks: string) =>
    fetchGuarded(
      'http://1.1.1.1/',
      options({ proxy, reach: reachOf(''), proxyReach: reachOf(networks), timeoutMs: 1000 }),
    ).catch((error: unknown) => error);
  const metadata = await reached('http://169.254.169.254:3128', '0.0.0.0/0');
  expect(metadata).toMatchObject({ code: 'outbound.never', values: { host: '169.254.169.254' } });
  proxies.http().user = 'somebody:else';
  const unlisted = await reached(addressOf('http'), '10.0.0.0/8');
  expect(unlisted).toMatchObject({ code: 'outbound.private', values: { host: '127.0.0.1' } });
  expect(proxies.http().requested).toEqual([]);
  expect(await reached(addressOf('http'), '127.0.0.1')).toMatchObject({ code: 'outbound.failed' });
  expect(proxies.http().requested).toEqual(['CONNECT 1.1.1.1:80']);
});
