import { beforeEach, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';

const LEAST = 60;

onOneDatabase('requests of one address', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let last = 0;
  let from: string;
  const ask = async (path: string, address = from) => {
    const answer = await fetch(hub().url + path, { headers: { 'x-forwarded-for': address } });
    return { status: answer.status, wait: Number(answer.headers.get('retry-after')), text: await answer.text() };
  };
  const statuses = async (path: string, times: number) => {
    const answers = await Promise.all(Array.from({ length: times }, () => ask(path)));
    return new Set(answers.map(({ status }) => status));
  };

  beforeEach(async () => {
    from = `198.51.100.${++last}`;
    await setOptions(hub().root, { GlobalApiRateLimit: String(LEAST), GlobalWebRateLimit: String(LEAST) });
  });

  test.each(['/api/status', '/api/nowhere', '/api/user/self'])(
    '%s: as many as the setting says, then 429',
    async (path) => {
      expect(await statuses(path, LEAST)).not.toContain(429);
      const { status, wait, text } = await ask(path);
      expect(status).toBe(429);
      expect(JSON.parse(text)).toMatchObject({ success: false, code: 'request.too_many' });
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(180);
      expect((await ask('/api/notice')).status).toBe(429);
      expect((await ask(path, '203.0.113.7')).status).not.toBe(429);
    },
  );

  test('pages and files have a separate limit from the management API', async () => {
    // Pages contain replies of the API, which count as requests to it.
    await statuses('/assets/gone.js', LEAST - 1);
    expect((await ask('/about')).status).toBe(200);
    expect((await ask('/about')).status).toBe(429);
    expect((await ask('/api/status')).status).toBe(200);
  });

  test('a network of IPv6 addresses is one client', async () => {
    from = '2001:db8:7:7::1';
    await statuses('/api/status', LEAST);
    expect((await ask('/api/status', '2001:db8:7:7:ffff::2')).status).toBe(429);
    expect((await ask('/api/status', '2001:db8:7:8::1')).status).toBe(200);
  });

  test('health checks are always answered', async () => {
    expect(await statuses('/healthz', 2 * LEAST)).toEqual(new Set([200]));
    expect((await ask('/')).status).not.toBe(429);
  });

  test('a changed limit applies immediately', async () => {
    await statuses('/api/status', LEAST);
    expect((await ask('/api/status')).status).toBe(429);
    await setOptions(hub().root, { GlobalApiRateLimit: '1000' });
    expect((await ask('/api/status')).status).toBe(200);
  });
});
