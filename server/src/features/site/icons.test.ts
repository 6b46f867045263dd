import { modelOwnerApi } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { answeringForSuite } from '#testing/network/outbound.ts';

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

onEveryDatabase('icons at addresses', (make) => {
  const hub = hubForSuite(make);
  const host = answeringForSuite();
  const request = (src: string) => fetch(`${hub().url}/icons/from?${new URLSearchParams({ src }).toString()}`);
  const use = (id: number, icon: string) =>
    hub().root.call(modelOwnerApi.create, { body: { id, name: `Owner ${id}`, icon } });

  test('are fetched once, without the visitor’s headers, and cannot run scripts', async () => {
    const seen: (string | undefined)[] = [];
    host.answer = ({ headers }, response) => {
      seen.push(headers.referer, headers.cookie);
      response.writeHead(200, { 'content-type': 'image/svg+xml; charset=utf-8' }).end(svg);
    };
    const address = `${host.here()}mark.svg?size=1&x=2`;
    expect((await request(address)).status).toBe(404);
    expect(seen).toEqual([]);
    await use(1001, address);
    for (const _ of [1, 2]) {
      const answer = await request(address);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=604800',
        'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
        'x-content-type-options': 'nosniff',
      });
      expect(await answer.text()).toBe(svg);
    }
    expect(seen).toEqual([undefined, undefined]);
    await hub().root.call(modelOwnerApi.remove, { params: { id: 1001 } });
    expect((await request(address)).status).toBe(404);
  });

  test.each([
    ['a page', 200, 'text/html', '<script>'],
    ['something too large', 200, 'image/png', 'x'.repeat(256 * 1024 + 1)],
    ['a missing picture', 404, 'image/png', ''],
  ])('%s is not served', async (name, status, type, body) => {
    host.answer = (_, response) => void response.writeHead(status, { 'content-type': type }).end(body);
    const address = `${host.here()}${encodeURIComponent(name)}`;
    await use(2000 + name.length, address);
    expect((await request(address)).status).toBe(404);
  });

  test('addresses that operators did not enter are refused, and so are reserved networks', async () => {
    await use(3000, 'http://169.254.169.254/latest');
    for (const src of ['http://169.254.169.254/latest', 'file:///etc/passwd', 'openai', ''])
      expect((await request(src)).status).toBe(404);
    expect((await fetch(`${hub().url}/icons/from?src=a&src=b`)).status).toBe(404);
  });
});
