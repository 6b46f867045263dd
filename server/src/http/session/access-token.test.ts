import { profileApi, role, siteApi, tokenApi, userAdminApi, userApi, userStatus } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addPerson } from '#testing/people.ts';

const none = { status: 401, body: { success: false, code: 'session.none' } };

onOneDatabase('access tokens', (make) => {
  const hub = hubForSuite(make);
  /** A client without cookies. */
  const ask = (authorization: string, path = '/api/user/self', method = 'GET', body?: unknown) =>
    new ApiClient(hub().url).send(method, path, body, { authorization });
  const personWithToken = async (more: Parameters<typeof addPerson>[1] = {}) => {
    const person = await addPerson(hub(), more);
    return { ...person, token: await person.client.call(profileApi.makeAccessToken) };
  };

  test('open the management API as their owner, with or without "Bearer"', async () => {
    const { id, token } = await personWithToken();
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    for (const header of [token, `Bearer ${token}`, `bearer ${token}`])
      expect(await ask(header)).toMatchObject({ status: 200, body: { data: { id } } });
  });

  test('follow the user’s role from the next request', async () => {
    const { id, token } = await personWithToken();
    const { db } = hub().server.deps;
    expect((await ask(token, '/api/user/')).status).toBe(403);
    await db.updateTable('users').set({ role: role.admin }).where('id', '=', id).execute();
    expect((await ask(token, '/api/user/')).status).toBe(200);
    await db.updateTable('users').set({ role: role.guest }).where('id', '=', id).execute();
    expect(await ask(token)).toMatchObject(none);
  });

  test.each([{ status: userStatus.disabled }, { deleted_time: 1 }])(
    'stop with an account that is %o',
    async (change) => {
      const { id, token } = await personWithToken();
      await hub().server.deps.db.updateTable('users').set(change).where('id', '=', id).execute();
      expect(await ask(token)).toMatchObject(none);
    },
  );

  test.each([
    '',
    'Bearer',
    'Basic cm9vdDpyb290',
    '0'.repeat(32),
    'x'.repeat(32),
    '%',
    "' or 1=1 --",
    'null',
    'undefined',
  ])('"%s" is none', async (authorization) => {
    expect(await ask(authorization)).toMatchObject(none);
  });

  test('no account without a token is found by an empty one', async () => {
    await addPerson(hub());
    for (const authorization of ['', ' ', 'Bearer ', 'Bearer  ']) expect(await ask(authorization)).toMatchObject(none);
  });

  test('an API key is not an access token, nor the reverse', async () => {
    const { client, token } = await personWithToken();
    const { key } = await client.call(tokenApi.create, { body: { name: 'x', unlimited_quota: true } });
    for (const header of [key, `Bearer ${key}`]) expect(await ask(header)).toMatchObject(none);
    const models = await fetch(`${hub().url}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    expect(models.status).toBe(401);
  });

  test('a new token replaces the old one; a revoked token is invalid', async () => {
    const { client, token } = await personWithToken();
    const next = await client.call(profileApi.makeAccessToken);
    expect(next).not.toBe(token);
    expect(await ask(token)).toMatchObject(none);
    expect((await ask(next)).status).toBe(200);
    await client.call(profileApi.removeAccessToken);
    expect(await ask(next)).toMatchObject(none);
    expect((await client.call(profileApi.security)).access_token).toBeNull();
  });

  test('are shown once, uncached, and stored as a hash', async () => {
    const { client, id } = await addPerson(hub());
    for (const method of ['POST', 'GET']) {
      const { headers, body } = await client.send<string>(method, '/api/user/token');
      const token = body.success ? body.data! : '';
      expect(headers.get('cache-control')).toBe('no-store');
      const row = await hub().server.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
      expect(JSON.stringify(row)).not.toContain(token.slice(4, 28));
      const told = await Promise.all(
        [profileApi.security, userApi.self, profileApi.sessions].map((endpoint) => client.try(endpoint)),
      );
      expect(JSON.stringify(told)).not.toContain(token.slice(4, 28));
      const list = await hub().root.call(userAdminApi.list, { query: { size: 100 } });
      expect(JSON.stringify(list)).not.toContain(token.slice(0, 4) + token.slice(4, 8));
    }
  });

  test('report their last use', async () => {
    const { client, token } = await personWithToken();
    await ask(token);
    const used = async () => (await client.call(profileApi.security)).access_token?.used_time;
    await expect.poll(used, { message: 'its last use' }).toBeGreaterThan(hub().server.deps.now() - 10);
  });

  describe('and other sites', () => {
    const cross = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };

    test('a program’s write by token needs no proof of where it comes from', async () => {
      const { token } = await personWithToken();
      const answer = await new ApiClient(hub().url).send(
        'PUT',
        '/api/user/self',
        { display_name: 'x' },
        { ...cross, authorization: token },
      );
      expect(answer.status).toBe(200);
    });

    test('a browser’s write does, also with a token beside its session', async () => {
      const { client, token } = await personWithToken();
      for (const authorization of ['', token, 'Bearer x'])
        expect(
          await client.send('PUT', '/api/user/self', { display_name: 'defaced' }, { ...cross, authorization }),
        ).toMatchObject({ status: 403, body: { code: 'request.cross_site' } });
      expect(await client.call(userApi.self)).toMatchObject({ display_name: '' });
    });

    test('a link cannot make a new token', async () => {
      const { client, token } = await personWithToken();
      expect(await client.send('GET', '/api/user/token', undefined, cross)).toMatchObject({ status: 403 });
      expect((await ask(token)).status).toBe(200);
    });
  });

  test('identify the viewer on public endpoints', async () => {
    const { token } = await personWithToken({ group: 'svip' });
    expect((await ask(token, '/api/user_group_map')).body).toMatchObject({ data: { svip: { symbol: 'svip' } } });
    expect((await ask('0'.repeat(32), siteApi.status.path)).status).toBe(200);
  });
});
