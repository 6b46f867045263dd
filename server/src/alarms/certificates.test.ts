import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fetch as request, Agent } from 'undici';
import { testCertificate } from '#testing/network/tls-for-tests.ts';
import { Certificates } from './certificates.ts';

const DAY_S = 86_400;

test('certificates of connections that end soon are named with the days left, however the request ended', async () => {
  const server = createServer(testCertificate, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const end = Date.parse(new X509Certificate(testCertificate.cert).validTo) / 1000;
  let now = end - 20 * DAY_S;
  const certificates = new Certificates(() => now);
  const dispatcher = new Agent({ connect: { ca: testCertificate.cert } });
  try {
    await (await request(`https://${host}/`, { dispatcher })).text();
    expect(certificates.ending()).toEqual([]);
    for (const days of [13, 2, -1]) {
      now = end - days * DAY_S - 1;
      expect(certificates.ending()).toEqual([{ host, days }]);
    }
    now += 31 * DAY_S;
    expect(certificates.ending()).toEqual([]);
  } finally {
    certificates.stop();
    await dispatcher.close();
    await new Promise((resolve) => server.close(resolve));
  }
});
