import {
  oauthApi,
  optionApi,
  profileApi,
  registerApi,
  role,
  secondStepApi,
  totpApi,
  userAdminApi,
  userApi,
  userStatus,
} from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spendBindingCode } from '#features/account/telegram/binding-code.ts';
import { browserFrom } from '#testing/browser.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { codeIn, linkIn, type Mailbox, sendThrough, startMailbox } from '#testing/mailbox.ts';
import { addAccount, addPerson, type TestPerson, PASSWORD } from '#testing/people.ts';

const NEW = 'a-new-password';

onEveryDatabase('what was begun before an account was closed to whoever had it', (make) => {
  const hub = hubForSuite(make, { TRUSTED_PROXIES: '127.0.0.1' });
  let mailbox: Mailbox;
  let admin: TestPerson;

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
    mailbox = await startMailbox();
    await sendThrough(hub().root, mailbox, { ServerAddress: 'https://hub.example.org' });
    const values = { TelegramBotName: 'hub_bot', TelegramBotToken: '1:token', TelegramApiAddress: 'http://1.1.1.1' };
    await hub().root.call(optionApi.setMany, { body: { values: { ...values, TelegramBotEnabled: 'true' } } });
  });
  afterAll(async () => {
    await hub().root.call(optionApi.set, { body: { key: 'TelegramBotEnabled', value: 'false' } });
    await mailbox?.close();
  });

  /** The ways to end an account's access. */
  const ends = {
    'a password that an administrator sets': ({ id }: TestPerson) =>
      admin.client.call(userAdminApi.update, { body: { id, password: NEW } }),
    'the own new password': ({ client }: TestPerson) =>
      client.call(profileApi.update, { body: { password: NEW, current_password: PASSWORD } }),
    'being disabled, and enabled again': async ({ id }: TestPerson) => {
      for (const action of ['disable', 'enable'] as const)
        await admin.client.call(userAdminApi.manage, { body: { id, action } });
    },
  };

  describe.each(Object.entries(ends))('%s', (_, end) => {
    test('leaves no second step to be taken with the old password', async () => {
      const person = await addPerson(hub());
      await hub()
        .server.deps.db.insertInto('totp')
        .values({ user_id: person.id, seed_cipher: '', confirmed_time: 1 })
        .execute();
      const intruder = browserFrom(hub());
      const begun = await intruder.try(userApi.login, { body: { username: person.username, password: PASSWORD } });
      expect(begun.body).toMatchObject({ code: 'login.second_factor' });
      expect((await intruder.try(secondStepApi.get)).status).toBe(200);
      await end(person);
      expect(await intruder.try(secondStepApi.get)).toMatchObject({ status: 409, body: { code: 'login.step_gone' } });
    });

    test('leaves no link and no code of a mail that lets in', async () => {
      const email = `begun-${crypto.randomUUID().slice(0, 8)}@example.org`;
      const person = await addPerson(hub(), { email });
      await browserFrom(hub()).call(registerApi.askReset, { query: { email } });
      const token = linkIn(await mailbox.next(email)).searchParams.get('token') ?? '';
      const asking = browserFrom(hub());
      await asking.call(registerApi.sendLoginCode, { body: { email } });
      const code = codeIn(await mailbox.next(email));
      await end(person);
      const reset = await browserFrom(hub()).try(registerApi.reset, {
        body: { email, token, password: 'yet-another' },
      });
      expect(reset).toMatchObject({ status: 400, body: { code: 'reset.link' } });
      const login = await asking.try(registerApi.loginByCode, { body: { email, code } });
      expect(login).toMatchObject({ status: 400, body: { code: 'mail.code' } });
    });

    test('leaves no code that binds a Telegram account', async () => {
      const person = await addPerson(hub());
      const { code } = await person.client.call(oauthApi.telegramCode);
      await end(person);
      expect(await spendBindingCode(hub().server.deps, code)).toBeUndefined();
    });
  });

  test('a sign-in with the old password that is under way does not outlive the new one', async () => {
    for (let round = 0; round < 4; round++) {
      const { id, username } = await addAccount(hub());
      const browsers = Array.from({ length: 8 }, () => browserFrom(hub()));
      const logins = browsers.map((browser) => browser.try(userApi.login, { body: { username, password: PASSWORD } }));
      await Promise.all([...logins, admin.client.call(userAdminApi.update, { body: { id, password: NEW } })]);
      for (const browser of browsers) expect((await browser.try(userApi.self)).status).toBe(401);
      expect(await browserFrom(hub()).signIn(username, NEW)).toBeDefined();
    }
  });

  test('who is signed in from elsewhere proves who they are before a first password', async () => {
    const { client, id } = await addPerson(hub());
    const { db } = hub().server.deps;
    await db.updateTable('users').set({ password_hash: '' }).where('id', '=', id).execute();
    const first = () => client.try(profileApi.update, { body: { password: NEW } });
    await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();
    expect(await first()).toMatchObject({ status: 403, body: { code: 'session.proof' } });
    const { password_hash: kept } = await db
      .selectFrom('users')
      .where('id', '=', id)
      .select('password_hash')
      .executeTakeFirstOrThrow();
    expect(kept).toBe('');
    await db.updateTable('sessions').set({ proved_time: hub().server.deps.now() }).where('user_id', '=', id).execute();
    expect((await first()).status).toBe(200);
  });
});

onEveryDatabase('who gives somebody a role, a password or an address, or takes a second factor off', (make) => {
  const hub = hubForSuite(make);

  const acts = {
    promote: (client: ApiClient, id: number) =>
      client.send('POST', '/api/user/manage', { id, action: 'promote' }, headersOf(client)),
    'set a password': (client: ApiClient, id: number) =>
      client.send('PUT', '/api/user/', { id, password: NEW }, headersOf(client)),
    'change an address': (client: ApiClient, id: number) =>
      client.send('PUT', '/api/user/', { id, email: `moved-${id}@example.org` }, headersOf(client)),
    'reset the second factor': (client: ApiClient, id: number) =>
      client.send('DELETE', `/api/user/${id}/second_factor`, undefined, headersOf(client)),
  };
  const tokens = new WeakMap<ApiClient, string>();
  const headersOf = (client: ApiClient): Record<string, string> => {
    const authorization = tokens.get(client);
    return authorization === undefined ? {} : { authorization };
  };

  test.each(Object.entries(acts))('proves first who they are: %s', async (_, act) => {
    const { db, now } = hub().server.deps;
    const actor = await addPerson(hub(), { role: role.root });
    const target = await addAccount(hub());
    await db.insertInto('totp').values({ user_id: target.id, seed_cipher: '', confirmed_time: 1 }).execute();
    const seen = async () => [
      await db.selectFrom('users').selectAll().where('id', '=', target.id).execute(),
      await db.selectFrom('totp').selectAll().where('user_id', '=', target.id).execute(),
    ];
    const before = await seen();
    const prove = (proved_time: number) =>
      db.updateTable('sessions').set({ proved_time }).where('user_id', '=', actor.id).execute();
    const token = await actor.client.call(profileApi.makeAccessToken);
    await prove(now() - 601);
    expect(await act(actor.client, target.id)).toMatchObject({ status: 403, body: { code: 'session.proof' } });
    expect(await seen()).toEqual(before);
    await prove(now());
    expect(await act(actor.client, target.id)).toMatchObject({ status: 200, body: { success: true } });
    expect(await seen()).not.toEqual(before);
    // A program cannot prove again; its token was created with a proof.
    const program = new ApiClient(hub().url);
    tokens.set(program, token);
    const another = await addAccount(hub());
    expect(await act(program, another.id)).toMatchObject({ status: 200, body: { success: true } });
  });

  test('the super administrator’s own address is no way around it', async () => {
    const { db } = hub().server.deps;
    const { client, id } = await addPerson(hub(), { role: role.root });
    await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', id).execute();
    const moved = await client.try(userAdminApi.update, { body: { id, email: 'evil@example.org' } });
    expect(moved).toMatchObject({ status: 403, body: { code: 'session.proof' } });
    expect((await client.call(userApi.self)).email).toBe('');
  });

  test('other changes ask for nothing', async () => {
    const { db } = hub().server.deps;
    const actor = await addPerson(hub(), { role: role.root });
    const email = 'same@example.org';
    const { id } = await addAccount(hub(), { email });
    await db.updateTable('sessions').set({ proved_time: 1 }).where('user_id', '=', actor.id).execute();
    const edit = await actor.client.try(userAdminApi.update, { body: { id, email, display_name: 'x', password: '' } });
    expect(edit.status).toBe(200);
    const disabled = await actor.client.try(userAdminApi.manage, { body: { id, action: 'disable' } });
    expect(disabled.body).toMatchObject({ data: { status: userStatus.disabled } });
    expect((await actor.client.try(totpApi.get)).status).toBe(200);
  });
});
