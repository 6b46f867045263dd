import { registerApi } from '@relay-hub/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { browserFrom } from '#testing/browser.ts';
import { onOneDatabase } from '#testing/databases.ts';
import { type LocalTurnstile, startTurnstile } from '#testing/elsewhere/local-turnstile.ts';
import { hubForSuite } from '#testing/hub.ts';
import { type Mailbox, sendThrough, setOptions, startMailbox } from '#testing/mailbox.ts';

onOneDatabase('the check that a visitor is human', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1', OUTBOUND_PRIVATE: '127.0.0.1' });
  let service: LocalTurnstile;
  let mailbox: Mailbox;

  beforeAll(async () => {
    service = await startTurnstile();
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, {
      ServerAddress: 'https://hub.example.org',
      TurnstileCheckEnabled: 'true',
      TurnstileSiteKey: service.siteKey,
      TurnstileSecretKey: service.secret,
      TurnstileAddress: service.url,
    });
  });
  beforeEach(() => void (service.broken = false));
  afterAll(async () => {
    await mailbox?.close();
    await service?.close();
  });

  const names = ['human-1', 'human-2', 'human-3', 'human-4'];
  const routes = [
    ['GET', '/api/verification?email=a@example.org'],
    ['GET', '/api/reset_password?email=a@example.org'],
    ['POST', '/api/user/register?'],
    ['POST', '/api/user/login/mail?'],
  ] as const;
  const send = ([method, path]: readonly [string, string], token: string | undefined, browser = browserFrom(hub())) => {
    const body = path.includes('register')
      ? { username: names.pop() ?? 'human-x', password: 'a-long-enough-password' }
      : { email: 'a@example.org' };
    const query = token === undefined ? '' : `&turnstile=${token}`;
    return browser.send(method, path + query, method === 'GET' ? undefined : body);
  };

  test.each(routes)('%s %s takes a token, and each token once', async (...route) => {
    for (const token of [undefined, '', 'made-up']) {
      const { status, body } = await send(route, token);
      expect(status).toBe(403);
      expect(body).toMatchObject({ success: false, code: 'turnstile.failed', field: 'turnstile' });
    }
    service.good.add('token-1');
    // One solved challenge is valid for one request, not for the session.
    const browser = browserFrom(hub());
    expect((await send(route, 'token-1', browser)).status).toBe(200);
    expect((await send(route, 'token-1', browser)).status).toBe(403);
    expect((await send(route, undefined, browser)).status).toBe(403);
  });

  test('the service receives the secret, the token and the visitor’s address', async () => {
    service.verifications.length = 0;
    await browserFrom(hub(), '192.0.2.77').try(registerApi.sendCode, {
      query: { email: 'b@example.org', turnstile: 't' },
    });
    expect(service.verifications).toEqual([{ secret: service.secret, response: 't', remoteip: '192.0.2.77' }]);
  });

  test('a failing service blocks everyone', async () => {
    service.good.add('token-2');
    service.broken = true;
    expect((await send(routes[0], 'token-2')).body).toMatchObject({ code: 'turnstile.failed' });
  });

  test('while the check is off no token is needed, and the service is not called', async () => {
    await setOptions(hub().root, { TurnstileCheckEnabled: 'false' });
    service.verifications.length = 0;
    expect((await send(routes[0], undefined)).status).toBe(200);
    expect(service.verifications).toEqual([]);
    await setOptions(hub().root, { TurnstileCheckEnabled: 'true' });
  });
});
