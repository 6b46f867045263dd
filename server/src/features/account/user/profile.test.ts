import { ownSecurity, profileApi, role, self, userApi } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';

const ended = { status: 401, body: { code: 'session.none' } };
const NEW = 'a-new-password';

onEveryDatabase('the own profile', (make) => {
  const hub = hubForSuite(make);
  const row = (id: number) =>
    hub().server.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const put = (client: ApiClient, body: unknown) => client.send('PUT', '/api/user/self', body);

  describe('name and display name', () => {
    test('are changed, trimmed, and answered as self', async () => {
      const { client, id } = await addPerson(hub());
      const { body } = await put(client, { username: ' newname ', display_name: ' New Name ' });
      const { data } = body as { data: object };
      expect(data).toMatchObject({ id, username: 'newname', display_name: 'New Name' });
      expect(Object.keys(data).toSorted()).toEqual(Object.keys(self.shape).toSorted());
      expect(await client.call(userApi.self)).toMatchObject({ username: 'newname' });
      await new ApiClient(hub().url).signIn('newname', PASSWORD);
    });

    test.each<[why: string, change: Record<string, unknown>, field: string]>([
      ['an empty name', { username: '' }, 'username'],
      ['a name of two characters', { username: 'ab' }, 'username'],
      ['a name of 65', { username: 'a'.repeat(65) }, 'username'],
      ['a name like an address', { username: 'a@b.org' }, 'username'],
      ['a display name without end', { display_name: 'x'.repeat(21) }, 'display_name'],
      ['a short password', { password: 'short', current_password: PASSWORD }, 'password'],
      ['a common password', { password: 'password1', current_password: PASSWORD }, 'password'],
      ['a password without end', { password: 'x'.repeat(129), current_password: PASSWORD }, 'password'],
      ['a password as number', { password: 12_345_678, current_password: PASSWORD }, 'password'],
    ])('%s is refused, and nothing changes', async (_, change, field) => {
      const { client, id } = await addPerson(hub());
      const before = await row(id);
      const answer = await put(client, { display_name: 'x', ...change });
      expect(answer).toMatchObject({ status: 400, body: { success: false, field } });
      expect(await row(id)).toEqual(before);
    });

    test('unchanged values may be longer than new ones', async () => {
      const username = 'someone-from-afar';
      const account = await addAccount(hub(), { username });
      const client = await new ApiClient(hub().url).signIn(account.username, PASSWORD);
      expect(await put(client, { username, display_name: 'x' })).toMatchObject({ status: 200 });
    });

    test('a taken name is refused, whatever its case', async () => {
      const { client, id } = await addPerson(hub());
      const before = await row(id);
      expect(await put(client, { username: 'ROOT', password: NEW, current_password: PASSWORD })).toMatchObject({
        status: 409,
        body: { code: 'record.exists', field: 'username' },
      });
      expect(await row(id)).toEqual(before);
    });

    test('everything else in the body is ignored', async () => {
      const { client, id } = await addPerson(hub(), { email: 'mine@example.org' });
      const before = await row(id);
      const planted = {
        id: 1,
        role: role.root,
        status: 2,
        quota: 1e9,
        group: 'svip',
        email: 'x@example.org',
        inviter_id: 1,
      };
      expect((await put(client, { ...planted, access_token: 'a'.repeat(32), display_name: 'me' })).status).toBe(200);
      expect(await row(id)).toEqual({ ...before, display_name: 'me' });
    });
  });

  describe('a new password', () => {
    test('needs the current one', async () => {
      const { client, id, username } = await addPerson(hub());
      const before = await row(id);
      for (const current_password of [undefined, '', 'wrong password'])
        expect(await put(client, { password: NEW, current_password, display_name: 'x' })).toMatchObject({
          status: 400,
          body: { code: 'user.current_password', field: 'current_password' },
        });
      expect(await row(id)).toEqual(before);
      await new ApiClient(hub().url).signIn(username, PASSWORD);
    });

    test('ends the other sessions and the access token; this one stays', async () => {
      const { client, id, username } = await addPerson(hub());
      const elsewhere = await new ApiClient(hub().url).signIn(username, PASSWORD);
      const authorization = await client.call(profileApi.makeAccessToken);
      expect((await put(client, { password: NEW, current_password: PASSWORD })).status).toBe(200);
      expect(await elsewhere.try(userApi.self)).toMatchObject(ended);
      expect(await new ApiClient(hub().url).send('GET', '/api/user/self', undefined, { authorization })).toMatchObject(
        ended,
      );
      expect(await client.call(userApi.self)).toMatchObject({ id });
      expect(
        (await new ApiClient(hub().url).try(userApi.login, { body: { username, password: PASSWORD } })).body,
      ).toMatchObject({ success: false });
      await new ApiClient(hub().url).signIn(username, NEW);
      const { password_time: at } = await client.call(profileApi.security);
      expect(Math.abs(at - hub().server.deps.now())).toBeLessThan(10);
    });

    test('is not trimmed', async () => {
      const { client, username } = await addPerson(hub());
      const password = '  between blanks  ';
      await put(client, { password, current_password: PASSWORD });
      await new ApiClient(hub().url).signIn(username, password);
    });

    test('is taken from one of five who change it at once', async () => {
      const { client, username } = await addPerson(hub());
      const wanted = Array.from({ length: 5 }, (_, i) => `new-password-${i}`);
      const answers = await Promise.all(
        wanted.map((password) => put(client, { password, current_password: PASSWORD })),
      );
      const done = answers.findIndex(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      await new ApiClient(hub().url).signIn(username, wanted[done]!);
    });

    test('cannot be guessed at for ever', async () => {
      const { client } = await addPerson(hub());
      const guess = () => put(client, { password: NEW, current_password: 'wrong password' });
      const answers = await Promise.all(Array.from({ length: 12 }, guess));
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
      expect(await put(client, { password: NEW, current_password: PASSWORD })).toMatchObject({
        status: 429,
        body: { code: 'request.too_many' },
      });
      expect((await put(client, { display_name: 'still' })).status).toBe(200);
    });

    test('is not guessed by who picks an easy one, nor by another session', async () => {
      const { client, username } = await addPerson(hub());
      const elsewhere = await new ApiClient(hub().url).signIn(username, PASSWORD);
      for (let i = 0; i < 11; i++)
        expect(await put(client, { password: 'aaaaaaaa', current_password: PASSWORD })).toMatchObject({
          status: 400,
          body: { code: 'user.password_easy' },
        });
      for (let i = 0; i < 10; i++) await put(elsewhere, { password: NEW, current_password: 'wrong password' });
      expect((await put(elsewhere, { password: NEW, current_password: PASSWORD })).status).toBe(429);
      expect((await put(client, { password: NEW, current_password: PASSWORD })).status).toBe(200);
    });

    test('an account that has none sets its first without one', async () => {
      const { client, id, username } = await addPerson(hub());
      await hub().server.deps.db.updateTable('users').set({ password_hash: '' }).where('id', '=', id).execute();
      expect(await client.call(profileApi.security)).toMatchObject({ has_password: false });
      expect((await put(client, { password: NEW })).status).toBe(200);
      await new ApiClient(hub().url).signIn(username, NEW);
    });
  });

  describe('sessions', () => {
    test('are listed with this one marked, and nothing that opens one', async () => {
      const { client, username } = await addPerson(hub());
      const phone = new ApiClient(hub().url);
      await phone.send('POST', '/api/user/login', { username, password: PASSWORD }, { 'user-agent': 'A phone' });
      const list = await client.call(profileApi.sessions);
      expect(list).toHaveLength(2);
      expect(list.filter(({ current }) => current)).toHaveLength(1);
      expect(list.find(({ current }) => !current)).toMatchObject({ user_agent: 'A phone', ip: '127.0.0.1' });
      for (const { cookie } of [client, phone]) expect(JSON.stringify(list)).not.toContain(cookie.slice(8, 24));
      const hashes = await hub().server.deps.db.selectFrom('sessions').select('id_hash').execute();
      for (const { id_hash } of hashes) expect(JSON.stringify(list)).not.toContain(id_hash);
    });

    test('one is ended, or all others', async () => {
      const { client, username } = await addPerson(hub());
      const [one, two, three] = await Promise.all(
        Array.from({ length: 3 }, () => new ApiClient(hub().url).signIn(username, PASSWORD)),
      );
      const [mine] = (await one!.call(profileApi.sessions)).filter(({ current }) => current);
      await client.call(profileApi.endSession, { params: { id: mine!.id } });
      expect(await one!.try(userApi.self)).toMatchObject(ended);
      expect(await client.try(profileApi.endSession, { params: { id: mine!.id } })).toMatchObject({ status: 404 });
      expect(await client.call(profileApi.endOtherSessions)).toEqual({ ended: 2 });
      for (const other of [two!, three!]) expect(await other.try(userApi.self)).toMatchObject(ended);
      expect(await client.call(profileApi.sessions)).toHaveLength(1);
    });

    test('sessions of other users are not touched', async () => {
      const victim = await addPerson(hub());
      const [theirs] = await victim.client.call(profileApi.sessions);
      const { client } = await addPerson(hub(), { role: role.admin });
      expect(await client.try(profileApi.endSession, { params: { id: theirs!.id } })).toMatchObject({ status: 404 });
      expect(await client.call(profileApi.endOtherSessions)).toEqual({ ended: 0 });
      expect((await victim.client.try(userApi.self)).status).toBe(200);
    });
  });

  test('the account’s protections are shown without secrets', async () => {
    const { client } = await addPerson(hub());
    expect(await client.call(profileApi.security)).toEqual({
      has_password: true,
      password_time: 0,
      enabled_tokens: 0,
      remind_quota: null,
      site_remind_quota: 500_000,
      limit_mails: true,
      announcement_mails: true,
      expiry_mail_days: 7,
      family_mode: false,
      access_token: null,
    });
    await client.call(profileApi.makeAccessToken);
    const told = await client.call(profileApi.security);
    expect(ownSecurity.parse(told)).toEqual(told);
    expect(told.access_token).toMatchObject({
      hint: expect.stringMatching(/^[0-9a-f]{4}•{8}[0-9a-f]{4}$/),
      used_time: 0,
    });
  });
});
