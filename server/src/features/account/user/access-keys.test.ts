import { accessAreaOf, accessKeyApi, type AccessScope, role, userAdminApi } from '@relay-hub/contract';
import { allEndpoints } from '@relay-hub/contract/registry';
import { beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { addPerson, type TestPerson } from '#testing/people.ts';

/** Nouns that access keys cannot call: sign-in, proofs of identity, own profile; `site` is public. */
const closed = ['accessKey', 'account', 'oauth', 'passkey', 'profile', 'proof', 'scim', 'secondStep', 'site', 'totp'];

test('every endpoint belongs to a scope, or is closed to access keys', () => {
  const without = allEndpoints.filter(({ noun }) => accessAreaOf(noun) === undefined).map(({ noun }) => noun);
  expect([...new Set(without)].toSorted()).toEqual(closed);
});

onEveryDatabase('access keys', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let admin: TestPerson;
  beforeAll(async () => void (admin = await addPerson(hub(), { role: role.admin })));

  const add = (scopes: AccessScope[], more: { addresses?: string[]; expired_time?: number } = {}) =>
    admin.client.call(accessKeyApi.create, { body: { name: scopes.join(), scopes, ...more } });
  const statusOf = async (key: string, method: string, path: string, ip = '198.51.100.1') => {
    const headers = { authorization: key, 'x-forwarded-for': ip, 'content-type': 'application/json' };
    const response = await fetch(hub().url + path, { method, headers, ...(method !== 'GET' && { body: '{}' }) });
    const { code } = (await response.json()) as { code?: string };
    return [response.status, code];
  };

  test.each<[AccessScope[], method: string, path: string, unknown]>([
    [['read'], 'GET', '/api/channel/', [200, undefined]],
    [['read'], 'GET', '/api/user/', [200, undefined]],
    [['read'], 'POST', '/api/channel/', [403, 'session.scope']],
    [['read'], 'POST', '/api/token/1/reveal', [403, 'session.scope']],
    [['channels'], 'GET', '/api/channel/', [200, undefined]],
    // The right is there; the body is not.
    [['channels'], 'POST', '/api/channel/', [400, 'input.invalid']],
    [['channels'], 'GET', '/api/prices/changes', [403, 'session.scope']],
    [['channels', 'prices'], 'GET', '/api/prices/changes', [200, undefined]],
    [['users'], 'POST', '/api/user/quota/1', [403, 'session.scope']],
    [['money'], 'POST', '/api/user/quota/987654', [400, 'input.invalid']],
    [['logs'], 'GET', '/api/log/', [200, undefined]],
    // Scopes never widen the role.
    [['settings'], 'GET', '/api/option/', [403, 'session.role']],
    [['read', 'settings', 'users'], 'GET', '/api/user/self', [200, undefined]],
    [['tokens'], 'GET', '/api/user/self', [200, undefined]],
    [['read', 'users'], 'GET', '/api/user/self/access_keys', [403, 'session.scope_never']],
    [['read', 'users'], 'POST', '/api/user/self/access_keys', [403, 'session.scope_never']],
    [['read', 'users'], 'PUT', '/api/user/self', [403, 'session.scope_never']],
  ])('with %j, %s %s is answered as %j', async (scopes, method, path, expected) => {
    const { key } = await add(scopes);
    expect(await statusOf(key, method, path)).toEqual(expected);
    expect(await statusOf(`Bearer ${key}`, method, path)).toEqual(expected);
  });

  test('are listed with their end and last use, and never whole', async () => {
    const { access_key: made, key } = await add(['logs', 'read'], { addresses: ['198.51.100.0/24', '2001:db8::1'] });
    expect(key).toMatch(/^rhk_[0-9a-f]{40}$/);
    expect(made).toMatchObject({ scopes: ['read', 'logs'], addresses: ['198.51.100.0/24', '2001:db8::1'] });
    expect(await statusOf(key, 'GET', '/api/log/', '203.0.113.9')).toEqual([401, 'session.none']);
    expect(await statusOf(key, 'GET', '/api/log/', '198.51.100.77')).toEqual([200, undefined]);
    const listed = async () => {
      const { body } = await admin.client.send('GET', '/api/user/self/access_keys');
      expect(JSON.stringify(body)).not.toContain(key.slice(8, -4));
      const { data } = body as { data: { id: number; used_ip: string; used_time: number }[] };
      return data.find(({ id }) => id === made.id);
    };
    await expect.poll(listed, { message: 'its last use' }).toMatchObject({ used_ip: '198.51.100.77' });
    expect((await listed())!.used_time).toBeGreaterThan(0);
  });

  test('are changed, replaced and removed by their owner alone', async () => {
    const other = await addPerson(hub());
    const { access_key: made, key } = await add(['read']);
    const params = { id: made.id };
    expect((await other.client.try(accessKeyApi.rotate, { params })).status).toBe(404);
    expect((await other.client.try(accessKeyApi.remove, { params })).status).toBe(404);
    expect((await other.client.try(accessKeyApi.update, { params, body: { name: 'x' } })).status).toBe(404);
    const changed = await admin.client.call(accessKeyApi.update, { params, body: { scopes: ['prices'] } });
    expect(changed).toMatchObject({ name: 'read', scopes: ['prices'] });
    expect(await statusOf(key, 'GET', '/api/channel/')).toEqual([403, 'session.scope']);
    const { key: next } = await admin.client.call(accessKeyApi.rotate, { params });
    expect(await statusOf(key, 'GET', '/api/user/self')).toEqual([401, 'session.none']);
    expect(await statusOf(next, 'GET', '/api/user/self')).toEqual([200, undefined]);
    await admin.client.call(accessKeyApi.remove, { params });
    expect(await statusOf(next, 'GET', '/api/user/self')).toEqual([401, 'session.none']);
  });

  test('end with their time, and with every other access of the account', async () => {
    const { access_key: made, key } = await add(['read'], { expired_time: Math.floor(Date.now() / 1000) + 3600 });
    expect(await statusOf(key, 'GET', '/api/user/self')).toEqual([200, undefined]);
    const past = { params: { id: made.id }, body: { expired_time: 1000 } };
    expect(await admin.client.try(accessKeyApi.update, past)).toMatchObject({
      status: 400,
      body: { code: 'access_key.expiry_past', field: 'expired_time' },
    });
    const { db } = hub().server.deps;
    await db.updateTable('access_keys').set({ expired_time: 1000 }).where('id', '=', made.id).execute();
    expect(await statusOf(key, 'GET', '/api/user/self')).toEqual([401, 'session.none']);

    const person = await addPerson(hub());
    const own = await person.client.call(accessKeyApi.create, { body: { name: 'mine', scopes: ['read'] } });
    expect(await statusOf(own.key, 'GET', '/api/user/self')).toEqual([200, undefined]);
    await hub().root.call(userAdminApi.update, { body: { id: person.id, password: 'a new password 1' } });
    expect(await statusOf(own.key, 'GET', '/api/user/self')).toEqual([401, 'session.none']);
  });

  test('of an account that has fifty are refused, and of a wrong form too', async () => {
    const person = await addPerson(hub());
    const send = (body: object) => person.client.send('POST', '/api/user/self/access_keys', body);
    for (const [body, field] of [
      [{ name: '', scopes: ['read'] }, 'name'],
      [{ name: 'a', scopes: [] }, 'scopes'],
      [{ name: 'a', scopes: ['root'] }, 'scopes.0'],
      [{ name: 'a', scopes: ['read'], addresses: ['x'] }, 'addresses.0'],
      [{ name: 'a', scopes: ['read'], expired_time: 5 }, 'expired_time'],
    ] as const)
      expect(await send(body)).toMatchObject({ status: 400, body: { field } });
    const { db } = hub().server.deps;
    const row = { user_id: person.id, name: 'n', hint: '', scopes: 'read', addresses: '', created_time: 1 };
    const rest = { expired_time: -1, used_time: 0, used_ip: '' };
    await db
      .insertInto('access_keys')
      .values(Array.from({ length: 50 }, (_, at) => ({ ...row, ...rest, key_hash: `${person.id} ${at}` })))
      .execute();
    expect(await send({ name: 'a', scopes: ['read'] })).toMatchObject({
      status: 409,
      body: { code: 'access_key.too_many' },
    });
  });
});
