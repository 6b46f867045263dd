import type { Token } from '@relay-hub/contract';
import { tokenApi, tokenColumns, userGroupApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { fingerprint } from '#secrets.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const none = { status: 404, body: { success: false, code: 'record.not_found', field: 'id' } };
const KEY = /^sk-[A-Za-z0-9]{48}$/;

onEveryDatabase('tokens', (makeDatabase) => {
  const hub = hubForSuite(makeDatabase);
  const upstream = upstreamForSuite();
  let owner: TestPerson;
  let other: TestPerson;

  beforeAll(async () => {
    owner = await addPerson(hub(), { quota: 10_000_000 });
    other = await addPerson(hub(), { quota: 10_000_000 });
    await addChannel(hub(), upstream().url);
  });

  const row = (id: number) =>
    hub().server.deps.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  test('creating answers the key once; lists and reads show its ends', async () => {
    const { headers, body } = await owner.client.try(tokenApi.create, {
      body: { name: '  mine  ', remain_quota: 500 },
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const { token, key } = (body as { data: { token: Token; key: string } }).data;
    expect(key).toMatch(KEY);
    expect(token).toMatchObject({
      user_id: owner.id,
      name: 'mine',
      key: `••••••••${key.slice(-4)}`,
      status: 1,
      remain_quota: 500,
      used_quota: 0,
      expired_time: -1,
      unlimited_quota: false,
      group: '',
      enable_cache: false,
    });
    const bare = key.slice(3);
    for (const path of ['/api/token/?size=100', `/api/token/${token.id}`])
      expect(JSON.stringify((await owner.client.send('GET', path)).body)).not.toContain(bare.slice(0, 44));
    const updated = await owner.client.send('PUT', '/api/token/', { id: token.id, name: 'renamed' });
    expect(JSON.stringify(updated.body)).not.toContain(bare.slice(0, 44));
  });

  test('an administrator keeps the key of another server, once', async () => {
    const { root, server } = hub();
    const key = 'oldServer-Key_0123456789abcdefghijklmnopqrstuv00';
    const make = (client: typeof root, given: string) =>
      client.try(tokenApi.create, { body: { name: 'moved', unlimited_quota: true, key: given } });
    const { body } = await make(root, `sk-${key}`);
    const { token } = (body as { data: { token: Token } }).data;
    expect(token.key).toBe('••••••••uv00');
    expect((await chat(hub(), `sk-${key}`)).status).toBe(200);
    expect(await root.call(tokenApi.reveal, { params: { id: token.id } })).toEqual({ key: `sk-${key}` });
    for (const again of [key, `sk-${key}`])
      expect(await make(root, again)).toMatchObject({ status: 409, body: { code: 'token.key_taken', field: 'key' } });
    for (const bad of [
      'too-short-15-xx',
      'x'.repeat(129),
      'with space 0123456789',
      'with#suffix-0123456789',
      'ключ'.repeat(9),
    ])
      expect(await make(root, bad)).toMatchObject({ status: 400, body: { code: 'token.key_form', field: 'key' } });
    const chosen = 'chosen-by-a-user-0123456789';
    const ignored = (await make(owner.client, chosen)).body as { data: { key: string } };
    expect(ignored.data.key).toMatch(KEY);
    expect((await chat(hub(), `sk-${chosen}`)).status).toBe(401);
    const audit = await server.deps.db.selectFrom('audit').selectAll().execute();
    expect(JSON.stringify(audit)).not.toContain(key.slice(0, 20));
    expect(JSON.stringify(await row(token.id))).not.toContain(key.slice(0, 20));
  });

  test('the owner reveals the key, and it works', async () => {
    const { id, key } = await tokenOf(owner.client);
    const { headers, body } = await owner.client.try(tokenApi.reveal, { params: { id } });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ success: true, message: '', data: { key } });
    expect((await chat(hub(), key)).status).toBe(200);
    expect((await chat(hub(), key.slice(3))).status).toBe(200);
    expect((await chat(hub(), `${key.slice(0, -1)}_`)).status).toBe(401);
  });

  test('a key is stored hashed and encrypted, not in clear', async () => {
    const { id, key } = await tokenOf(owner.client);
    const stored = await row(id);
    expect(JSON.stringify(stored)).not.toContain(key.slice(3, 40));
    expect(stored.key_hash).toBe(fingerprint(key.slice(3)));
    expect(stored.key_cipher).toMatch(/^v1\./);
    expect(hub().server.deps.secrets.decrypt(stored.key_cipher)).toBe(key);
  });

  test('tokens of other users can be neither seen nor changed', async () => {
    const { id, key } = await tokenOf(owner.client, { name: 'private' });
    const before = await row(id);
    for (const client of [other.client, hub().root]) {
      expect(await client.try(tokenApi.get, { params: { id } })).toMatchObject(none);
      expect(await client.try(tokenApi.reveal, { params: { id } })).toMatchObject(none);
      expect(await client.try(tokenApi.update, { body: { id, name: 'stolen', group: 'default' } })).toMatchObject(none);
      expect(
        await client.try(tokenApi.update, { query: { status_only: 'true' }, body: { id, status: 2 } }),
      ).toMatchObject(none);
      expect(await client.try(tokenApi.remove, { params: { id } })).toMatchObject(none);
      expect((await client.call(tokenApi.list, { query: { keyword: 'private' } })).total_count).toBe(0);
    }
    expect(await row(id)).toEqual(before);
    expect((await chat(hub(), key)).status).toBe(200);
  });

  test('fields that are not the caller’s to write are ignored', async () => {
    const planted = {
      id: 987_654,
      user_id: other.id,
      used_quota: -1_000_000,
      status: 4,
      role: 100,
      quota: 1e9,
      created_time: 1,
      accessed_time: 1,
      key: 'sk-chosen',
      key_hash: 'x',
      key_cipher: 'x',
      deleted_time: 1,
    };
    // Another owner is refused, see `token-admin.test.ts`.
    const { user_id: _, ...ignored } = planted;
    const made = await owner.client.send<{ token: Token; key: string }>('POST', '/api/token/', {
      name: 'planted',
      ...ignored,
    });
    const { token, key } = (made.body as { data: { token: Token; key: string } }).data;
    expect(token).toMatchObject({ user_id: owner.id, used_quota: 0, status: 1, accessed_time: 0 });
    expect(token.id).not.toBe(planted.id);
    expect(key).toMatch(KEY);
    const before = await row(token.id);
    const edited = await owner.client.send('PUT', '/api/token/', { ...planted, id: token.id, status: 1 });
    expect(edited).toMatchObject({ status: 200, body: { data: { status: 1 } } });
    expect(await row(token.id)).toEqual(before);
    expect(
      await hub()
        .server.deps.db.selectFrom('users')
        .select(['role', 'quota'])
        .where('id', '=', owner.id)
        .executeTakeFirst(),
    ).toMatchObject({ role: 1 });
  });

  test('a deleted token is gone, and its key stops at once', async () => {
    const { id, key } = await tokenOf(owner.client);
    expect((await chat(hub(), key)).status).toBe(200);
    expect(await owner.client.try(tokenApi.remove, { params: { id } })).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await chat(hub(), key)).status).toBe(401);
    expect(await owner.client.try(tokenApi.get, { params: { id } })).toMatchObject(none);
    expect(await owner.client.try(tokenApi.reveal, { params: { id } })).toMatchObject(none);
    expect(await owner.client.try(tokenApi.remove, { params: { id } })).toMatchObject(none);
    expect(
      (await owner.client.call(tokenApi.list, { query: { size: 100 } })).data.map((token) => token.id),
    ).not.toContain(id);
  });

  test('the last use is shown', async () => {
    const { id, key } = await tokenOf(owner.client);
    expect(await owner.client.call(tokenApi.get, { params: { id } })).toMatchObject({
      accessed_time: 0,
      used_quota: 0,
    });
    await chat(hub(), key);
    const used = await owner.client.call(tokenApi.get, { params: { id } });
    expect(used.used_quota).toBeGreaterThan(0);
    expect(Math.abs(used.accessed_time - hub().server.deps.now())).toBeLessThan(60);
  });

  test('an account has at most 500', async () => {
    const many = await addPerson(hub());
    const { db, now } = hub().server.deps;
    const rows = Array.from({ length: 500 }, (_, i) => ({
      user_id: many.id,
      name: `t${i}`,
      key_hash: `hash-${many.id}-${i}`,
      key_cipher: '',
      key_hint: '',
      status: 1,
      created_time: now(),
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: false,
      group: '',
      enable_cache: false,
    }));
    await db.insertInto('tokens').values(rows).execute();
    expect(await many.client.try(tokenApi.create, { body: { name: 'one more' } })).toMatchObject({
      status: 409,
      body: { code: 'token.too_many' },
    });
  });

  describe('the list', () => {
    let person: TestPerson;
    const names = async (query: Record<string, string | number>): Promise<string[]> =>
      (await person.client.call(tokenApi.list, { query })).data.map(({ name }) => name);

    beforeAll(async () => {
      person = await addPerson(hub());
      for (const name of ['Alpha', 'beta', 'be_a', '100%']) await tokenOf(person.client, { name });
      const { data } = await person.client.call(tokenApi.list, { query: { keyword: 'beta' } });
      await person.client.call(tokenApi.update, { query: { status_only: '1' }, body: { id: data[0]!.id, status: 2 } });
    });

    test.each<[Record<string, string | number>, string[]]>([
      [{}, ['100%', 'be_a', 'beta', 'Alpha']],
      [{ keyword: 'ALP' }, ['Alpha']],
      [{ keyword: 'lpha' }, []],
      [{ keyword: 'be_' }, ['be_a']],
      [{ keyword: '%' }, []],
      [{ status: 2 }, ['beta']],
      [{ status: 1, order: 'id', size: 2 }, ['Alpha', 'be_a']],
      [{ status: 1, order: 'id', size: 2, page: 2 }, ['100%']],
    ])('%o finds %o', async (query, expected) => {
      expect(await names(query)).toEqual(expected);
    });

    test.each(tokenColumns)('can be ordered by %s, both ways', async (column) => {
      expect(await names({ order: `-${column}` })).toEqual((await names({ order: column })).toReversed());
    });
  });

  test('a token that already has a private group can still be changed otherwise', async () => {
    const { root } = hub();
    const group = await root.call(userGroupApi.create, { body: { symbol: 'was_public', name: 'x', public: true } });
    const { id } = await tokenOf(owner.client, { group: 'was_public' });
    await root.call(userGroupApi.update, { body: { id: group.id, name: 'x', ratio: 1, api_rate: 0, public: false } });
    expect(
      await owner.client.call(tokenApi.update, { body: { id, name: 'renamed', group: 'was_public' } }),
    ).toMatchObject({ name: 'renamed' });
    const { key } = await owner.client.call(tokenApi.reveal, { params: { id } });
    expect((await chat(hub(), key)).status).toBe(403);
  });
});
