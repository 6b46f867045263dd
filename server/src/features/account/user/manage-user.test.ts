import type { UserAction } from '@relay-hub/contract';
import {
  analyticsApi,
  ledgerApi,
  logApi,
  profileApi,
  registerApi,
  role,
  tokenApi,
  userAdminApi,
  userApi,
  userStatus,
} from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { shapeOfName } from '#name-shape.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat, tokenOf } from '#testing/chat.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import type { TestHub } from '#testing/hub.ts';
import { addChannel, ApiClient, hubForSuite, startHub, upstreamForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';

const ended = { status: 401, body: { code: 'session.none' } };

onEveryDatabase('user roles', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let admin: TestPerson;
  let channel: number;
  let root: TestPerson;

  const manage = (client: ApiClient, username: string, action: UserAction) =>
    client.try(userAdminApi.manage, { body: { username, action } });
  const row = (id: number) =>
    hub().server.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  beforeAll(async () => {
    channel = await addChannel(hub(), upstream().url);
    admin = await addPerson(hub(), { role: role.admin });
    root = await addPerson(hub(), { role: role.root });
  });

  test('an unknown action, or one without a target, is refused', async () => {
    const send = (body: unknown) => admin.client.send('POST', '/api/user/manage', body);
    expect(await send({ username: 'x', action: 'crown' })).toMatchObject({ status: 400, body: { field: 'action' } });
    expect(await send({ action: 'disable' })).toMatchObject({ status: 400, body: { field: 'username' } });
    expect(await send({ username: '', action: 'disable' })).toMatchObject({ status: 400, body: { field: 'username' } });
    expect(await send({ username: 'nobody', action: 'disable' })).toMatchObject({ status: 404 });
    const { id } = await addAccount(hub());
    expect(await send({ id, username: 'another', action: 'disable' })).toMatchObject({ status: 404 });
    expect(await row(id)).toMatchObject({ status: userStatus.enabled });
  });

  describe('disabling', () => {
    test('ends sessions, access token and keys at once; enabling brings back the keys', async () => {
      const { client, id, username } = await addPerson(hub(), { quota: 1_000_000 });
      const { key } = await tokenOf(client);
      const accessToken = await client.call(profileApi.makeAccessToken);
      const bearer = () =>
        new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { authorization: accessToken });
      expect((await chat(hub(), key)).status).toBe(200);
      expect((await bearer()).status).toBe(200);

      expect(await manage(admin.client, username, 'disable')).toMatchObject({
        status: 200,
        body: { data: { id, status: userStatus.disabled, role: role.user } },
      });
      expect((await chat(hub(), key)).status).toBe(401);
      expect(await client.try(userApi.self)).toMatchObject(ended);
      expect(await bearer()).toMatchObject(ended);
      expect(
        await new ApiClient(hub().url).try(userApi.login, { body: { username, password: PASSWORD } }),
      ).toMatchObject({ body: { success: false } });

      expect((await manage(admin.client, username, 'enable')).status).toBe(200);
      expect((await chat(hub(), key)).status).toBe(200);
      expect(await client.try(userApi.self)).toMatchObject(ended);
      expect(await bearer()).toMatchObject(ended);
      await client.signIn(username, PASSWORD);
    });

    test('twice is as good as once', async () => {
      const { username } = await addAccount(hub());
      for (const action of ['disable', 'disable', 'enable', 'enable'] as const)
        expect((await manage(admin.client, username, action)).status).toBe(200);
    });
  });

  describe('deleting', () => {
    test.each(['manage', 'remove'] as const)('by %s ends everything, and frees the name', async (way) => {
      const { client, id, username } = await addPerson(hub(), { quota: 1_000_000, email: `${way}@example.org` });
      const { key } = await tokenOf(client);
      expect((await chat(hub(), key)).status).toBe(200);
      const answer =
        way === 'manage'
          ? await manage(admin.client, username, 'delete')
          : await admin.client.try(userAdminApi.remove, { params: { id } });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
      expect((await chat(hub(), key)).status).toBe(401);
      expect(await client.try(userApi.self)).toMatchObject(ended);
      expect(await admin.client.try(userAdminApi.get, { params: { id } })).toMatchObject({ status: 404 });
      expect((await row(id)).username).toBe(`${username} (deleted ${id})`);
      const again = { username, password: PASSWORD, group: 'default', email: `${way}@example.org` };
      expect((await admin.client.try(userAdminApi.create, { body: again })).status).toBe(200);
      expect(await admin.client.try(userAdminApi.remove, { params: { id } })).toMatchObject({ status: 404 });
    });

    test('a freed name can be taken in every way, also by one that looks like it', async () => {
      const free = async () => {
        const { id, username } = await addAccount(hub());
        await hub()
          .server.deps.db.updateTable('users')
          .set({ username_shape: shapeOfName(username) })
          .where('id', '=', id)
          .execute();
        await admin.client.call(userAdminApi.remove, { params: { id } });
        return username;
      };
      const [one, two, three] = [await free(), await free(), await free()];
      const other = await addPerson(hub());
      const register = { username: two, password: PASSWORD };
      for (const answer of [
        await admin.client.try(userAdminApi.create, { body: { username: one.replace('e', 'е'), password: PASSWORD } }),
        await new ApiClient(hub().url).try(registerApi.register, { body: register }),
        await other.client.try(profileApi.update, { body: { username: three } }),
      ])
        expect(answer).toMatchObject({ status: 200, body: { success: true } });
    });

    test('an administrator restores an account with its keys, under another name if its own is taken', async () => {
      const { client, id, username } = await addPerson(hub(), { quota: 1_000_000, email: 'back@example.org' });
      const kept = await tokenOf(client);
      const removed = await tokenOf(client);
      await client.call(tokenApi.remove, { params: { id: removed.id } });
      await hub().server.deps.db.updateTable('tokens').set({ deleted_time: 5 }).where('id', '=', removed.id).execute();
      expect(await admin.client.call(userAdminApi.closing, { params: { id } })).toEqual({
        quota: 1_000_000,
        open_orders: 0,
        tokens: 1,
      });
      await admin.client.call(userAdminApi.remove, { params: { id } });
      const listed = await admin.client.call(userAdminApi.list, { query: { deleted: 1, keyword: username } });
      expect(listed.data).toMatchObject([
        { id, username, quota: 1_000_000, deleted_time: expect.any(Number) as number },
      ]);
      expect((await admin.client.call(userAdminApi.list, { query: { keyword: username } })).data).toEqual([]);
      const restore = (body: object, by = admin.client) => by.send('POST', `/api/user/${id}/restore`, body);
      expect(await restore({}, client)).toMatchObject(ended);
      const heir = await addAccount(hub(), { username, email: 'back@example.org' });
      const taken = { status: 409, body: { code: 'record.exists' } };
      expect(await restore({ email: '' })).toMatchObject({ ...taken, body: { field: 'username' } });
      expect(await restore({ username: `${username}-2` })).toMatchObject({ ...taken, body: { field: 'email' } });
      expect(await restore({ username: 'a b' })).toMatchObject({ status: 400, body: { field: 'username' } });
      expect(await restore({ email: 'mine@example.org' })).toMatchObject({ status: 400, body: { field: 'email' } });
      expect((await chat(hub(), kept.key)).status).toBe(401);
      expect(await restore({ username: `${username}-2`, email: '' })).toMatchObject({
        body: { data: { id, username: `${username}-2`, email: '', quota: 1_000_000, deleted_time: 0 } },
      });
      expect((await chat(hub(), kept.key)).status).toBe(200);
      expect((await chat(hub(), removed.key)).status).toBe(401);
      expect(await restore({})).toMatchObject({ status: 404 });
      expect(await row(heir.id)).toMatchObject({ username, deleted_time: null });
      const peer = await addAccount(hub(), { role: role.admin });
      await root.client.call(userAdminApi.remove, { params: { id: peer.id } });
      expect(await admin.client.try(userAdminApi.restore, { params: { id: peer.id }, body: {} })).toMatchObject({
        status: 403,
        body: { code: 'user.rank' },
      });
    });

    test('its name still finds its history, until somebody else has it', async () => {
      const { client, id, username } = await addPerson(hub(), { quota: 1_000_000 });
      expect((await chat(hub(), (await tokenOf(client)).key)).status).toBe(200);
      await caughtUp(hub().server.deps.db);
      await admin.client.call(userAdminApi.remove, { params: { id } });
      const found = async (name: string) => [
        (await admin.client.call(logApi.list, { query: { username: name } })).total_count,
        (await admin.client.call(ledgerApi.list, { query: { username: name } })).total_count,
        (await admin.client.call(ledgerApi.totals, { query: { username: name } })).user_id === id ? 1 : 0,
        (await admin.client.call(analyticsApi.usage, { query: { username: name, by: 'model' } })).total.requests,
      ];
      expect(await found(username.toUpperCase())).toEqual([1, 2, 1, 1]);
      await addAccount(hub(), { username });
      expect(await found(username)).toEqual([0, 0, 0, 0]);
      expect(await found(`${username} (deleted ${id})`)).toEqual([1, 2, 1, 1]);
    });
  });

  describe('closing one’s own account', () => {
    test('needs a proof, ends everything, says what is left, and is noted', async () => {
      const { client, id, username } = await addPerson(hub(), { quota: 1_000_000 });
      const { key } = await tokenOf(client);
      const { db } = hub().server.deps;
      await db.updateTable('users').set({ language: 'en_US' }).where('id', '=', id).execute();
      await db.updateTable('sessions').set({ proved_time: 0 }).where('user_id', '=', id).execute();
      const close = () => client.try(profileApi.close, { body: { username } });
      expect(await client.try(profileApi.close, { body: { username: 'another' } })).toMatchObject({
        status: 400,
        body: { code: 'user.confirm', field: 'username' },
      });
      expect(await close()).toMatchObject({ status: 403, body: { code: 'session.proof' } });
      expect((await chat(hub(), key)).status).toBe(200);
      await db
        .updateTable('sessions')
        .set({ proved_time: hub().server.deps.now() })
        .where('user_id', '=', id)
        .execute();
      await caughtUp(db);
      const facts = await client.call(profileApi.closing);
      expect(facts).toMatchObject({ open_orders: 0, tokens: 1 });
      expect(facts.quota).toBeGreaterThan(900_000);
      expect(await close()).toMatchObject({ status: 200, body: { data: facts } });
      expect((await chat(hub(), key)).status).toBe(401);
      expect(await client.try(userApi.self)).toMatchObject(ended);
      const log = await admin.client.call(logApi.list, { query: { username, log_type: 3 } });
      expect(log.data).toMatchObject([{ user_id: id, username, content: 'Account closed by its owner' }]);
      expect((await admin.client.call(userAdminApi.restore, { params: { id }, body: {} })).username).toBe(username);
      expect((await chat(hub(), key)).status).toBe(200);
    });
  });

  describe('roles', () => {
    test('the super administrator makes administrators, and plain users of them', async () => {
      const { client, username, id } = await addPerson(hub(), { quota: 1_000_000 });
      const { key } = await tokenOf(client);
      expect(await manage(root.client, username, 'promote')).toMatchObject({
        body: { data: { id, role: role.admin } },
      });
      expect((await client.try(userAdminApi.list)).status).toBe(200);
      expect((await chat(hub(), `${key}#${channel}`)).status).toBe(200);
      expect(await manage(root.client, username, 'promote')).toMatchObject({
        status: 409,
        body: { code: 'user.role_already' },
      });
      expect(await manage(root.client, username, 'demote')).toMatchObject({ body: { data: { id, role: role.user } } });
      expect(await client.try(userApi.self)).toMatchObject(ended);
      // The token still pays but can no longer select a channel.
      expect((await chat(hub(), `${key}#${channel}`)).status).toBe(403);
      expect((await chat(hub(), key)).status).toBe(200);
      expect(await manage(root.client, username, 'demote')).toMatchObject({ status: 409 });
    });

    test('an administrator makes none', async () => {
      const { username, id } = await addAccount(hub());
      expect(await manage(admin.client, username, 'promote')).toMatchObject({
        status: 403,
        body: { code: 'session.role' },
      });
      expect(await row(id)).toMatchObject({ role: role.user });
    });

    describe.each([role.admin, role.root])('of an account of role %i', (rank) => {
      let target: { id: number; username: string };
      beforeAll(async () => void (target = await addAccount(hub(), { role: rank })));
      const refused = { status: 403, body: { success: false, code: 'user.rank' } };

      test.each<UserAction>(['enable', 'disable', 'demote', 'delete'])(
        'an administrator cannot %s it',
        async (action) => {
          const before = await row(target.id);
          expect(await manage(admin.client, target.username, action)).toMatchObject(refused);
          expect(await row(target.id)).toEqual(before);
        },
      );

      test('nor see, change or delete it, nor sign it out', async () => {
        const before = await row(target.id);
        const params = { id: target.id };
        const { client } = admin;
        const edit = { id: target.id, password: 'another-password', username: 'mine', email: 'mine@example.org' };
        for (const answer of [
          await client.try(userAdminApi.get, { params }),
          await client.try(userAdminApi.update, { body: edit }),
          await client.try(userAdminApi.remove, { params }),
          await client.try(userAdminApi.endSessions, { params }),
        ])
          expect(answer).toMatchObject(refused);
        expect(await row(target.id)).toEqual(before);
      });
    });

    test('no one can disable, demote or delete their own account', async () => {
      const before = await row(root.id);
      for (const action of ['disable', 'demote', 'delete'] as const)
        expect(await manage(root.client, root.username, action)).toMatchObject({
          status: 409,
          body: { code: 'user.self' },
        });
      expect(await root.client.try(userAdminApi.remove, { params: { id: root.id } })).toMatchObject({ status: 409 });
      expect(await row(root.id)).toEqual(before);
    });
  });

  test('signing a user out leaves the rest unchanged', async () => {
    const { client, id, username } = await addPerson(hub(), { quota: 1_000_000 });
    const elsewhere = await new ApiClient(hub().url).signIn(username, PASSWORD);
    const { key } = await tokenOf(client);
    expect(await admin.client.call(userAdminApi.endSessions, { params: { id } })).toEqual({ ended: 2 });
    for (const browser of [client, elsewhere]) expect(await browser.try(userApi.self)).toMatchObject(ended);
    expect((await chat(hub(), key)).status).toBe(200);
  });

  test('a password that an administrator sets ends sessions and access token', async () => {
    const { client, id, username } = await addPerson(hub());
    const authorization = await client.call(profileApi.makeAccessToken);
    await admin.client.call(userAdminApi.update, { body: { id, password: 'another-password' } });
    expect(await client.try(userApi.self)).toMatchObject(ended);
    expect(await client.send('GET', '/api/user/self', undefined, { authorization })).toMatchObject(ended);
    await new ApiClient(hub().url).signIn(username, 'another-password');
  });

  test('no one can set their own password without the current one', async () => {
    expect(
      await root.client.try(userAdminApi.update, { body: { id: root.id, password: 'another-password' } }),
    ).toMatchObject({ status: 409, body: { code: 'user.own_password', field: 'password' } });
    await new ApiClient(hub().url).signIn(root.username, PASSWORD);
  });
});

onEveryDatabase('the last super administrator', (make) => {
  let database: EmptyDatabase;
  let hub: TestHub;
  beforeAll(async () => {
    database = await make();
    hub = await startHub(database);
    return async () => {
      await hub.close();
      await database.remove();
    };
  });

  test.each<UserAction>(['disable', 'demote', 'delete'])('stays: %s', async (action) => {
    expect(await hub.root.try(userAdminApi.manage, { body: { username: 'root', action } })).toMatchObject({
      status: 409,
      body: { code: 'user.last_root' },
    });
  });

  test.each<UserAction>(['demote', 'disable', 'delete'])(
    'of two who %s each other at once, one stays',
    async (action) => {
      const { db } = hub.server.deps;
      for (let round = 0; round < 5; round++) {
        const pair = [await addPerson(hub, { role: role.root }), await addPerson(hub, { role: role.root })] as const;
        // Demotes the first root, so that only these two remain.
        await db.updateTable('users').set({ role: role.admin }).where('username', '=', 'root').execute();
        const answers = await Promise.all(
          pair.map(({ client }, i) =>
            client.try(userAdminApi.manage, { body: { username: pair[1 - i]!.username, action } }),
          ),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        const left = await db
          .selectFrom('users')
          .where('role', '=', role.root)
          .where('status', '=', userStatus.enabled)
          .where('deleted_time', 'is', null)
          .select('id')
          .execute();
        expect(left).toHaveLength(1);
        await db.updateTable('users').set({ role: role.user }).where('role', '=', role.root).execute();
        await db.updateTable('users').set({ role: role.root }).where('username', '=', 'root').execute();
      }
    },
  );
});
