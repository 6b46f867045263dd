import { userApi, userStatus } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { derivations } from '#testing/cheap-passwords.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, startHub } from '#testing/hub.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';
import { checkLogin } from './login.ts';

onEveryDatabase('login', (make) => {
  const hub = hubForSuite(make);
  const login = (username: string, password: string, headers: Record<string, string> = {}) =>
    new ApiClient(hub().url).send(userApi.login.method, userApi.login.path, { username, password }, headers);

  test('a name and its password open a session', async () => {
    const { id, username } = await addAccount(hub());
    const { status, headers, body } = await login(username, PASSWORD);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: '',
      data: { id, username, display_name: '', avatar_url: '', role: 1, status: 1 },
    });
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
  });

  test('a name is compared without case, as phones write it', async () => {
    const { id, username } = await addAccount(hub());
    const capital = username[0]!.toUpperCase() + username.slice(1);
    expect(capital).not.toBe(username);
    for (const name of [capital, username.toUpperCase()])
      expect((await login(name, PASSWORD)).body).toMatchObject({ success: true, data: { id, username } });
  });

  test('an e-mail address will do for a name', async () => {
    const { id } = await addAccount(hub(), { email: 'one@example.org' });
    expect((await login('one@example.org', PASSWORD)).body).toMatchObject({ success: true, data: { id } });
  });

  test('a failure does not reveal its reason', async () => {
    const { username } = await addAccount(hub());
    const disabled = await addAccount(hub(), { status: userStatus.disabled });
    const deleted = await addAccount(hub(), { deleted_time: 1 });
    const answers = [
      await login(username, 'wrong password'),
      await login('nobody-at-all', PASSWORD),
      await login(disabled.username, PASSWORD),
      await login(deleted.username, PASSWORD),
      await login("' or 1=1 --", "' or 1=1 --"),
    ];
    for (const { status, headers, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({ success: false, message: '', code: 'login.failed' });
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test('an unknown name takes as long to refuse as a wrong password: both are derived once', async () => {
    const { db } = hub().server.deps;
    const { username } = await addAccount(hub());
    for (const who of [username, 'nobody-at-all']) {
      const refusal = () => expect(checkLogin(db, who, 'wrong password')).rejects.toThrow();
      expect(await derivations(refusal), who).toBe(1);
    }
  });

  test.each([
    { username: '', password: PASSWORD },
    { username: '   ', password: PASSWORD },
    { username: 'root', password: '' },
    { username: { $ne: '' }, password: PASSWORD },
  ])('what is missing is named: %o', async (body) => {
    const answer = await new ApiClient(hub().url).send('POST', '/api/user/login', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ field: body.password === '' ? 'password' : 'username' });
  });

  test('a cookie that was planted is not taken over', async () => {
    const attacker = await addPerson(hub());
    const victim = await addAccount(hub());
    const planted = attacker.client.cookie;
    const browser = new ApiClient(hub().url);
    browser.cookie = planted;
    await browser.signIn(victim.username, PASSWORD);
    expect(browser.cookie).toMatch(/^session=[\w-]{43}$/);
    expect(browser.cookie).not.toBe(planted);
    expect(await browser.call(userApi.self)).toMatchObject({ id: victim.id });
    expect((await attacker.client.try(userApi.self)).status).toBe(401);
  });

  test('a made-up cookie becomes no session', async () => {
    const madeUp = `session=${'A'.repeat(43)}`;
    const { username } = await addAccount(hub());
    const { headers } = await login(username, PASSWORD, { cookie: madeUp });
    expect(headers.getSetCookie()[0]).not.toContain('AAAAAAAA');
    expect((await new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { cookie: madeUp })).status).toBe(
      401,
    );
  });

  test('only the cookie’s hash is stored', async () => {
    const { client, id } = await addPerson(hub());
    const rows = await hub().server.deps.db.selectFrom('sessions').selectAll().where('user_id', '=', id).execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(client.cookie.slice('session='.length));
  });

  test('the cookie is not marked secure because anybody says so', async () => {
    const { username } = await addAccount(hub());
    expect((await login(username, PASSWORD, { 'x-forwarded-proto': 'https' })).headers.getSetCookie()[0]).not.toContain(
      'Secure',
    );
  });
});

onEveryDatabase('login behind a trusted proxy', (make) => {
  test('the cookie is bound to the host over TLS, and each client has separate attempts', async () => {
    const database = await make();
    const hub = await startHub(database, { TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const { username } = await addAccount(hub);
      const login = (password: string, ip: string, proto = 'https') =>
        new ApiClient(hub.url).send(
          'POST',
          '/api/user/login',
          { username, password },
          { 'x-forwarded-for': ip, 'x-forwarded-proto': proto },
        );

      const overTls = await login(PASSWORD, '198.51.100.9');
      expect(overTls.headers.getSetCookie()[0]).toMatch(
        /^__Host-session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
      );
      expect(overTls.headers.get('cache-control')).toBe('no-store');
      const session = /session=([\w-]+)/.exec(overTls.headers.getSetCookie()[0]!)![1]!;
      const self = (cookie: string) => new ApiClient(hub.url).send('GET', '/api/user/self', undefined, { cookie });
      const planted = 'A'.repeat(43);
      // Sessions of earlier versions, and of clients that keep the value alone, have the name without a prefix.
      for (const [cookie, status] of [
        [`__Host-session=${session}`, 200],
        [`__Secure-session=${session}`, 200],
        [`session=${session}`, 200],
        [`session=${planted}; __Host-session=${session}`, 200],
        [`session=${session}; __Host-session=${planted}`, 401],
        [`x__Host-session=${session}`, 401],
      ] as const)
        expect({ cookie, status: (await self(cookie)).status }).toEqual({ cookie, status });
      const cookie = `session=${session}; __Host-session=${session}`;
      const out = await new ApiClient(hub.url).send('GET', '/api/user/logout', undefined, { cookie });
      expect(out.headers.getSetCookie()).toEqual([
        '__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
        'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      ]);
      expect((await login(PASSWORD, '198.51.100.9', 'http')).headers.getSetCookie()[0]).not.toContain('Secure');

      const tries = await Promise.all(Array.from({ length: 11 }, () => login('wrong', '198.51.100.7')));
      expect(tries.filter(({ status }) => status === 429)).toHaveLength(1);
      // Forwarded addresses in front of the caller's own are ignored.
      expect((await login(PASSWORD, '6.6.6.6, 198.51.100.7')).status).toBe(429);
      expect((await login(PASSWORD, '198.51.100.8')).body).toMatchObject({ success: true });
      const rows = await hub.server.deps.db.selectFrom('sessions').select('ip').execute();
      expect(rows.map(({ ip }) => ip)).toContain('198.51.100.8');
    } finally {
      await hub.close();
      await database.remove();
    }
  });
});

describe('too many tries', () => {
  onEveryDatabase('from one address', (make) => {
    const hub = hubForSuite(make);

    test('are refused, whatever address is claimed, even with the right password', async () => {
      const login = (username: string, password: string, ip: string) =>
        new ApiClient(hub().url).send(
          'POST',
          '/api/user/login',
          { username, password },
          { 'x-forwarded-for': ip, 'x-real-ip': ip },
        );
      // The suite's own sign-in succeeded, so it does not count; each name fails for the first time.
      const tries = await Promise.all(
        Array.from({ length: 20 }, (_, i) => login(`somebody-${i}`, 'wrong', `203.0.113.${i}`)),
      );
      expect(tries.every(({ status }) => status === 200)).toBe(true);
      const { status, headers, body } = await login('root', 'a-password-for-tests', '198.51.100.1');
      expect(status).toBe(429);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(1100);
      expect(seconds).toBeLessThanOrEqual(1200);
      expect(body).toEqual({
        success: false,
        code: 'request.too_many',
        message: `Too many requests. Try again in ${seconds} seconds`,
      });
      expect(headers.getSetCookie()).toEqual([]);
      expect(await hub().root.call(userApi.self)).toMatchObject({ username: 'root' });
    });
  });
});
