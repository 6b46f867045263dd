import { noLimits, redemptionApi, tokenApi, userAdminApi, userGroupApi } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { caughtUp } from '#testing/caught-up.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { setOptions } from '#testing/mailbox.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

onEveryDatabase('rules for tokens', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let person: TestPerson;

  beforeAll(async () => {
    const { root } = hub();
    await root.call(userGroupApi.create, { body: { symbol: 'open', name: 'open', public: true } });
    await root.call(userGroupApi.create, { body: { symbol: 'off', name: 'off', public: true, enable: false } });
    person = await addPerson(hub(), { group: 'vip', quota: 10_000_000 });
    await addChannel(hub(), upstream().url, { group: 'default,vip' });
  });

  const invalid: [why: string, change: Record<string, unknown>, status: number, field: string, code: string][] = [
    ['no name', { name: '' }, 400, 'name', 'input.invalid'],
    ['a name of spaces', { name: '   ' }, 400, 'name', 'input.invalid'],
    ['a name of 31 characters', { name: 'x'.repeat(31) }, 400, 'name', 'input.invalid'],
    ['a quota below 0', { remain_quota: -1 }, 400, 'remain_quota', 'input.invalid'],
    ['an expiry before all times', { expired_time: -2 }, 400, 'expired_time', 'input.invalid'],
    ['an expiry in milliseconds', { expired_time: 1_900_000_000_000 }, 400, 'expired_time', 'input.invalid'],
    ['half an expiry', { expired_time: 1.5 }, 400, 'expired_time', 'input.invalid'],
    ['an expiry that has passed', { expired_time: 1_600_000_000 }, 400, 'expired_time', 'token.expiry_past'],
    ['a group that is not there', { group: 'nobody' }, 400, 'group', 'group.unknown'],
    ['a group that is switched off', { group: 'off' }, 400, 'group', 'group.unknown'],
    ['a private group of others', { group: 'svip' }, 403, 'group', 'group.forbidden'],
    ...(
      [
        [{ sort: 'beauty' }, 'sort'],
        [{ only: 'openai' }, 'only'],
        [{ max_price: { prompt: -1 } }, 'max_price.prompt'],
      ] as const
    ).map(([provider, field]): (typeof invalid)[number] => [
      `a limit on providers with a wrong ${field}`,
      { limits: { provider } },
      400,
      `limits.provider.${field}`,
      'input.invalid',
    ]),
  ];

  test.each(invalid)('%s is refused', async (_, change, status, field, code) => {
    const before = (await person.client.call(tokenApi.list)).total_count;
    expect(await person.client.send('POST', '/api/token/', { name: 'one', ...change })).toMatchObject({
      status,
      body: { success: false, code, field },
    });
    expect((await person.client.call(tokenApi.list)).total_count).toBe(before);
  });

  test.each(invalid)('%s is refused in an edit, and changes nothing', async (_, change, status, field, code) => {
    const { id } = await tokenOf(person.client);
    const before = await person.client.call(tokenApi.get, { params: { id } });
    expect(await person.client.send('PUT', '/api/token/', { id, enable_cache: true, ...change })).toMatchObject({
      status,
      body: { success: false, code, field },
    });
    expect(await person.client.call(tokenApi.get, { params: { id } })).toEqual(before);
  });

  test.each<[why: string, change: Record<string, unknown>, stored: Record<string, unknown>]>([
    ['a name of 30 characters', { name: '密'.repeat(30) }, { name: '密'.repeat(30) }],
    ['quota 0', { remain_quota: 0 }, { remain_quota: 0 }],
    ['expiry 0, which is never', { expired_time: 0 }, { expired_time: -1 }],
    ['an expiry', { expired_time: 2_000_000_000 }, { expired_time: 2_000_000_000 }],
    ['a public group', { group: 'open' }, { group: 'open' }],
    ['the own private group', { group: 'vip' }, { group: 'vip' }],
    ['no group', { group: '' }, { group: '' }],
    [
      'the most that can be counted',
      { remain_quota: Number.MAX_SAFE_INTEGER },
      { remain_quota: Number.MAX_SAFE_INTEGER },
    ],
    ['a cache', { enable_cache: true }, { enable_cache: true }],
    [
      'limits on providers',
      { limits: { provider: { only: ['openai'], max_price: { prompt: 2 } } } },
      { limits: { ...noLimits, provider: { only: ['openai'], max_price: { prompt: 2 } } } },
    ],
    ['responses kept for a day', { response_store_hours: 24 }, { response_store_hours: 24 }],
    ['responses kept as the site says', { response_store_hours: null }, { response_store_hours: null }],
  ])('%s is accepted', async (_, change, stored) => {
    const made = await person.client.send('POST', '/api/token/', { name: 'one', ...change });
    expect(made).toMatchObject({ status: 200, body: { data: { token: stored } } });
    const { id } = await tokenOf(person.client);
    expect(await person.client.send('PUT', '/api/token/', { id, ...change })).toMatchObject({
      status: 200,
      body: { data: stored },
    });
  });

  describe('status', () => {
    const { update } = tokenApi;
    const setRow = (id: number, change: Record<string, number | boolean>) =>
      hub().server.deps.db.updateTable('tokens').set(change).where('id', '=', id).execute();

    test('status_only writes the status and nothing else, in force at once', async () => {
      const { id, key } = await tokenOf(person.client);
      const before = await person.client.call(tokenApi.get, { params: { id } });
      expect(
        await person.client.call(update, {
          query: { status_only: 'true' },
          body: { id, status: 2, name: 'x', remain_quota: 5, unlimited_quota: false },
        }),
      ).toEqual({ ...before, status: 2 });
      expect((await chat(hub(), key)).status).toBe(401);
      await person.client.call(update, { query: { status_only: '1' }, body: { id, status: 1 } });
      expect((await chat(hub(), key)).status).toBe(200);
    });

    test.each(['', '?status_only=1'])('status 0, 3, 4, 5 and a text cannot be set %s', async (query) => {
      const { id } = await tokenOf(person.client);
      for (const status of [0, 3, 4, 5, '1'])
        expect(await person.client.send('PUT', `/api/token/${query}`, { id, status })).toMatchObject({
          status: 400,
          body: { field: 'status' },
        });
    });

    test('a status without status_only is in force at once; in family mode it is ignored, and the reply says so', async () => {
      const { id, key } = await tokenOf(person.client);
      const put = (status: number) => person.client.send('PUT', '/api/token/', { id, status });
      expect((await put(2)).body).toMatchObject({ success: true, data: { status: 2 } });
      expect((await chat(hub(), key)).status).toBe(401);
      expect((await put(1)).body).not.toHaveProperty('warnings');
      expect((await chat(hub(), key)).status).toBe(200);
      await setOptions(hub().root, { FamilyMode: 'true' });
      const ignored = { success: true, data: { status: 1 }, warnings: [{ field: 'status' }] };
      expect((await put(2)).body).toMatchObject(ignored);
      expect((await put(1)).body).not.toHaveProperty('warnings');
      expect((await chat(hub(), key)).status).toBe(200);
      await setOptions(hub().root, { FamilyMode: 'false' });
    });

    test('so is that of a redemption code', async () => {
      const { root } = hub();
      const [, id] = await root
        .call(redemptionApi.create, { body: { name: 'statuses', quota: 5 } })
        .then(async () => (await root.call(redemptionApi.list)).data.map((code) => [code.name, code.id] as const)[0]!);
      const put = async (more: object) => (await root.send('PUT', '/api/redemption/', { id, ...more })).body;
      expect(await put({ status: 2, quota: 6 })).toMatchObject({ data: { status: 2, quota: 6 } });
      await setOptions(root, { FamilyMode: 'true' });
      expect(await put({ status: 1, quota: 7 })).toMatchObject({
        data: { status: 2, quota: 7 },
        warnings: [{ field: 'status' }],
      });
      await setOptions(root, { FamilyMode: 'false' });
      expect(
        await root.try(redemptionApi.update, { query: { status_only: '1' }, body: { id, status: 1, name: 'x' } }),
      ).toMatchObject({ body: { data: { status: 1, name: 'statuses' }, warnings: [{ field: 'name' }] } });
    });

    test('an expired token cannot be switched on', async () => {
      const { id } = await tokenOf(person.client);
      await setRow(id, { status: 3, expired_time: 1000 });
      expect(await person.client.try(update, { query: { status_only: '1' }, body: { id, status: 1 } })).toMatchObject({
        status: 409,
        body: { code: 'token.expired', field: 'status' },
      });
      expect(await person.client.call(tokenApi.get, { params: { id } })).toMatchObject({ status: 3 });
    });

    test('an exhausted token cannot be switched on', async () => {
      const { id } = await tokenOf(person.client, { unlimited_quota: false });
      await setRow(id, { status: 4 });
      expect(await person.client.try(update, { query: { status_only: '1' }, body: { id, status: 1 } })).toMatchObject({
        status: 409,
        body: { code: 'token.exhausted', field: 'status' },
      });
      expect(await person.client.call(tokenApi.get, { params: { id } })).toMatchObject({ status: 4 });
    });

    test('room or time switches it on again, without a second call', async () => {
      const exhausted = await tokenOf(person.client, { unlimited_quota: false });
      await setRow(exhausted.id, { status: 4 });
      expect(await person.client.call(update, { body: { id: exhausted.id, remain_quota: 100_000 } })).toMatchObject({
        status: 1,
      });
      expect((await chat(hub(), exhausted.key)).status).toBe(200);
      const expired = await tokenOf(person.client);
      await setRow(expired.id, { status: 3, expired_time: 1000 });
      expect(await person.client.call(update, { body: { id: expired.id, name: 'still' } })).toMatchObject({
        status: 3,
      });
      expect(await person.client.call(update, { body: { id: expired.id, expired_time: -1 } })).toMatchObject({
        status: 1,
      });
      expect((await chat(hub(), expired.key)).status).toBe(200);
    });

    test('a token that was switched off by hand stays off', async () => {
      const { id, key } = await tokenOf(person.client);
      await person.client.call(update, { query: { status_only: '1' }, body: { id, status: 2 } });
      expect(await person.client.call(update, { body: { id, remain_quota: 5, expired_time: -1 } })).toMatchObject({
        status: 2,
      });
      expect((await chat(hub(), key)).status).toBe(401);
    });
  });

  describe('an old record that is sent back whole', () => {
    test('gives a token no quota back; a new quota counts', async () => {
      const { id, key } = await tokenOf(person.client, { unlimited_quota: false, remain_quota: 1_000_000 });
      const read = async () => person.client.call(tokenApi.get, { params: { id } });
      const put = async (record: object) => (await person.client.send('PUT', '/api/token/', record)).body;
      const old = await read();
      expect((await chat(hub(), key)).status).toBe(200);
      await caughtUp(hub().server.deps.db);
      const used = await read();
      expect(used.used_quota).toBeGreaterThan(0);
      const renamed = await put({ ...old, name: 'renamed' });
      expect(renamed).toMatchObject({ data: { name: 'renamed', remain_quota: used.remain_quota, status: 1 } });
      expect(renamed.success && renamed.warnings?.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['remain_quota', 'used_quota']),
      );
      expect(await put({ ...old, remain_quota: 2_000_000 })).toMatchObject({ data: { remain_quota: 2_000_000 } });
      expect(await put({ id, remain_quota: old.remain_quota })).toMatchObject({ data: { remain_quota: 1_000_000 } });
      // The cost beyond the quota was not charged to the token.
      const db = hub().server.deps.db;
      const exhausted = { remain_quota: 0, used_quota: 2_000_000, status: 4 };
      await db.updateTable('tokens').set(exhausted).where('id', '=', id).execute();
      const kept = await put(old);
      expect(kept).toMatchObject({ data: { name: old.name, ...exhausted } });
      expect(kept.success && kept.warnings?.map(({ field }) => field)).toContain('status');
      expect(await put(await read())).toMatchObject({ success: true, data: { remain_quota: 0, status: 4 } });
    });

    test('changes no balance of an account, and the reply says so', async () => {
      const { root } = hub();
      const read = () => root.call(userAdminApi.get, { params: { id: person.id } });
      const old = await read();
      expect((await chat(hub(), (await tokenOf(person.client)).key)).status).toBe(200);
      await caughtUp(hub().server.deps.db);
      const { quota, used_quota: used } = await read();
      const { body } = await root.send('PUT', '/api/user/', { ...old, display_name: 'Back' });
      expect(body).toMatchObject({ data: { display_name: 'Back', quota, used_quota: used } });
      expect(body.success && body.warnings?.map(({ field }) => field)).toEqual(
        expect.arrayContaining(['quota', 'used_quota']),
      );
    });
  });

  test('an expiry that has passed is in force without anybody writing it', async () => {
    const { id, key } = await tokenOf(person.client);
    expect((await chat(hub(), key)).status).toBe(200);
    await hub().server.deps.db.updateTable('tokens').set({ expired_time: 1000 }).where('id', '=', id).execute();
    await hub().server.deps.live.changed('callers');
    expect((await chat(hub(), key)).status).toBe(401);
    const renamed = { ...(await person.client.call(tokenApi.get, { params: { id } })), name: 'renamed' };
    expect(await person.client.send('PUT', '/api/token/', renamed)).toMatchObject({
      status: 200,
      body: { success: true, data: { name: 'renamed', expired_time: 1000 } },
    });
  });
});
