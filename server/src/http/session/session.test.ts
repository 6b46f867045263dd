import { channelApi, role, userApi, userStatus } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onOneDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addPerson, PASSWORD } from '#testing/people.ts';

onOneDatabase('sessions', (make) => {
  const hub = hubForSuite(make);
  const ended = { status: 401, body: { success: false, code: 'session.none', message: 'Sign in to continue' } };

  test('an expired session is invalid', async () => {
    const { client, id } = await addPerson(hub());
    await hub()
      .server.deps.db.updateTable('sessions')
      .set({ expires_time: hub().server.deps.now() - 1 })
      .where('user_id', '=', id)
      .execute();
    expect(await client.try(userApi.self)).toMatchObject(ended);
  });

  test('use prolongs a session, without writing at each request', async () => {
    const { client, id } = await addPerson(hub());
    const { db, now } = hub().server.deps;
    const read = () =>
      db
        .selectFrom('sessions')
        .select(['seen_time', 'expires_time'])
        .where('user_id', '=', id)
        .executeTakeFirstOrThrow();
    await db
      .updateTable('sessions')
      .set({ seen_time: now() - 100, expires_time: now() + 50 })
      .where('user_id', '=', id)
      .execute();
    await client.call(userApi.self);
    expect((await read()).expires_time).toBeLessThanOrEqual(now() + 50);
    await db
      .updateTable('sessions')
      .set({ seen_time: now() - 1000 })
      .where('user_id', '=', id)
      .execute();
    await client.call(userApi.self);
    await expect
      .poll(async () => (await read()).expires_time, { message: 'the new end' })
      .toBeGreaterThan(now() + 29 * 86_400);
  });

  test('an account keeps its two hundred most recent sessions; signing in deletes others and expired ones', async () => {
    const { client, id, username } = await addPerson(hub());
    const other = await addPerson(hub());
    const { db, now } = hub().server.deps;
    const own = async () => db.selectFrom('sessions').select('id_hash').where('user_id', '=', id).execute();
    const many = Array.from({ length: 210 }, (_, i) => ({
      id_hash: `session-${id}-${String(i).padStart(3, '0')}`,
      user_id: id,
      created_time: 1,
      seen_time: 1,
      // The first ten have expired; the next ones expire first.
      expires_time: now() + (i - 10) * 60,
      proved_time: 1,
      ip: '',
      user_agent: '',
    }));
    await db.insertInto('sessions').values(many).execute();
    const latest = await new ApiClient(hub().url).signIn(username, PASSWORD);
    const kept = (await own()).map(({ id_hash }) => id_hash);
    expect(kept).toHaveLength(200);
    expect(kept).toContain(`session-${id}-209`);
    for (const gone of ['000', '010', '011']) expect(kept).not.toContain(`session-${id}-${gone}`);
    for (const browser of [client, latest, other.client]) expect((await browser.try(userApi.self)).status).toBe(200);
  });

  test('signing out ends this session on the server, and only this one', async () => {
    const { client, username } = await addPerson(hub());
    const elsewhere = await new ApiClient(hub().url).signIn(username, 'a-password-of-somebody');
    const { cookie } = client;
    const { status, headers } = await client.try(userApi.logout);
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual(['session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect(await new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { cookie })).toMatchObject(ended);
    expect(await elsewhere.call(userApi.self)).toMatchObject({ username });
  });

  test('signing out without a session succeeds', async () => {
    expect(await new ApiClient(hub().url).try(userApi.logout)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('a new role applies from the next request', async () => {
    const { client, id } = await addPerson(hub());
    const { db } = hub().server.deps;
    const setRole = (value: number) => db.updateTable('users').set({ role: value }).where('id', '=', id).execute();
    expect((await client.try(channelApi.list)).status).toBe(403);
    await setRole(role.admin);
    expect((await client.try(channelApi.list)).status).toBe(200);
    await setRole(role.user);
    expect(await client.try(channelApi.list)).toMatchObject({ status: 403, body: { code: 'session.role' } });
    await setRole(role.guest);
    expect(await client.try(userApi.self)).toMatchObject(ended);
  });

  test.each([{ status: userStatus.disabled }, { deleted_time: 1 }])(
    'an account that is %o has no session any more',
    async (change) => {
      const { client, id } = await addPerson(hub());
      expect((await client.try(userApi.self)).status).toBe(200);
      await hub().server.deps.db.updateTable('users').set(change).where('id', '=', id).execute();
      expect(await client.try(userApi.self)).toMatchObject(ended);
    },
  );

  test.each(['session=', 'session=short', 'session=%00', `xsession=${'A'.repeat(43)}`, `session=${'A'.repeat(5000)}`])(
    'the cookie "%s" is none',
    async (cookie) => {
      expect(await new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { cookie })).toMatchObject(ended);
    },
  );
});
