import type { InputOf, User } from '@relay-hub/contract';
import { role, user as userRecord, userAdminApi, userColumns, userStatus } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectBooksBalance } from '#testing/books.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import type { TestPerson } from '#testing/people.ts';
import { addAccount, addPerson, PASSWORD } from '#testing/people.ts';

type New = InputOf<typeof userAdminApi.create>['body'];

onEveryDatabase('user administration', (make) => {
  const hub = hubForSuite(make);
  let admin: TestPerson;
  let count = 0;
  const body = (more: Partial<New> = {}): New => ({
    username: `user${++count}`,
    password: PASSWORD,
    group: 'default',
    ...more,
  });
  const row = (id: number) =>
    hub().server.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  beforeAll(async () => {
    admin = await addPerson(hub(), { role: role.admin });
  });

  describe('creating', () => {
    test('an account with its group, that can sign in, and shows no secret', async () => {
      const input = body({
        username: '  zhang_san  ',
        display_name: ' 张三 ',
        email: 'Zhang@Example.org',
        group: 'vip',
      });
      const { body: told } = await admin.client.try(userAdminApi.create, { body: input });
      const { data } = told as { data: User };
      expect(data).toMatchObject({
        username: 'zhang_san',
        display_name: '张三',
        email: 'Zhang@Example.org',
        group: 'vip',
        role: role.user,
        status: userStatus.enabled,
        quota: 0,
        last_call_time: 0,
        last_login_time: 0,
      });
      expect(Object.keys(data).toSorted()).toEqual(Object.keys(userRecord.shape).toSorted());
      expect(JSON.stringify(told)).not.toMatch(/password|argon2|token|held/);
      for (const name of ['zhang_san', 'zhang@example.ORG']) await new ApiClient(hub().url).signIn(name, PASSWORD);
    });

    test('with as much as a person may move at once, any number of them, and no more', async () => {
      const most = 1_000_000_000_000_000;
      for (let i = 0; i < 11; i++) await admin.client.call(userAdminApi.create, { body: body({ quota: most }) });
      const { total_quota } = await admin.client.call(userAdminApi.list);
      expect(total_quota).toBe(Number.MAX_SAFE_INTEGER);
      const refused = await admin.client.try(userAdminApi.create, { body: body({ quota: most + 1 }) });
      expect(refused).toMatchObject({ status: 400, body: { code: 'input.invalid' } });
    });

    test('without a display name it is called by its name', async () => {
      expect(await admin.client.call(userAdminApi.create, { body: body({ username: 'plain' }) })).toMatchObject({
        display_name: 'plain',
        email: '',
      });
    });

    test('first credits are an entry in the ledger, by who gave them', async () => {
      const { db } = hub().server.deps;
      const made = await admin.client.call(userAdminApi.create, { body: body({ quota: 2_500_000 }) });
      expect(made.quota).toBe(2_500_000);
      const entries = await db.selectFrom('ledger').selectAll().where('user_id', '=', made.id).execute();
      expect(entries).toMatchObject([
        { kind: 'gift', credits: 2_500_000, balance_after: 2_500_000, actor_id: admin.id },
      ]);
      await expectBooksBalance(db);
    });

    test.each<[why: string, change: Record<string, unknown>, field: string]>([
      ['no name', { username: '' }, 'username'],
      ['a name of two characters', { username: 'ab' }, 'username'],
      ['a name of 65', { username: 'a'.repeat(65) }, 'username'],
      ['a name like an address', { username: 'a@b.org' }, 'username'],
      ['a name with a blank', { username: 'a b c' }, 'username'],
      ['a name with a hidden turn of direction', { username: 'ab\u202ecd' }, 'username'],
      ['a password of seven characters', { password: 'seven77' }, 'password'],
      ['a password without end', { password: 'x'.repeat(129) }, 'password'],
      ['a common password', { password: 'Passw0rd' }, 'password'],
      ['no password', { password: undefined }, 'password'],
      ['an empty group', { group: ' ' }, 'group'],
      ['a group that is not there', { group: 'nowhere' }, 'group'],
      ['a display name without end', { display_name: 'x'.repeat(21) }, 'display_name'],
      ['an address that is none', { email: 'nobody' }, 'email'],
      ['an address without end', { email: `${'x'.repeat(50)}@example.org` }, 'email'],
      ['credits below 0', { quota: -1 }, 'quota'],
      ['half a credit', { quota: 0.5 }, 'quota'],
      ['more credits than can be counted', { quota: 2 ** 60 }, 'quota'],
      ['another role', { role: role.admin }, 'role'],
      ['another status', { status: userStatus.disabled }, 'status'],
    ])('%s is refused, and nobody is made', async (_, change, field) => {
      const input = { ...body(), ...change };
      expect(await admin.client.send('POST', '/api/user/', input)).toMatchObject({
        status: 400,
        body: { success: false, field },
      });
      const made = hub().server.deps.db.selectFrom('users').where('username', '=', input.username);
      expect(await made.selectAll().execute()).toEqual([]);
    });

    test.each(['ZhangSan', 'zhangsan', 'ZHANGSAN'])(
      'the name %s is there once, whatever its case',
      async (username) => {
        await admin.client.try(userAdminApi.create, { body: body({ username: 'ZhangSan' }) });
        expect(await admin.client.try(userAdminApi.create, { body: body({ username }) })).toMatchObject({
          status: 409,
          body: { code: 'record.exists', field: 'username', message: `${username} already exists` },
        });
      },
    );

    test('an address is there once, whatever its case', async () => {
      await admin.client.call(userAdminApi.create, { body: body({ email: 'once@example.org' }) });
      expect(await admin.client.try(userAdminApi.create, { body: body({ email: 'ONCE@example.org' }) })).toMatchObject({
        status: 409,
        body: { code: 'record.exists', field: 'email' },
      });
    });

    test('of ten who make one name at once, one does', async () => {
      const input = body({ username: 'raced', quota: 100 });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => admin.client.try(userAdminApi.create, { body: input })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
      await expectBooksBalance(hub().server.deps.db);
    });
  });

  describe('changing', () => {
    const update = (change: Record<string, unknown>) => admin.client.send('PUT', '/api/user/', change);

    test('writes only what is sent', async () => {
      const { id } = await addAccount(hub(), { email: 'before@example.org', display_name: 'Before' });
      expect(await update({ id, username: 'renamed' })).toMatchObject({
        status: 200,
        body: { data: { id, username: 'renamed', email: 'before@example.org', display_name: 'Before' } },
      });
      expect(await update({ id, email: '', display_name: '', group: 'svip' })).toMatchObject({
        body: { data: { username: 'renamed', email: '', display_name: '', group: 'svip' } },
      });
    });

    test('a record may be sent back whole; another role or status in it is refused, and nothing changes', async () => {
      const { id } = await addAccount(hub(), { quota: 300 });
      const whole = await admin.client.call(userAdminApi.get, { params: { id } });
      expect(await update({ ...whole, quota: 0, display_name: 'sent back' })).toMatchObject({
        status: 200,
        body: { data: { ...whole, display_name: 'sent back' } },
      });
      const before = await row(id);
      for (const [field, value] of [
        ['role', role.admin],
        ['role', role.root],
        ['role', 0],
        ['status', userStatus.disabled],
      ] as const)
        for (const client of [admin.client, hub().root])
          expect(await client.send('PUT', '/api/user/', { ...whole, display_name: 'x', [field]: value })).toMatchObject(
            {
              status: 400,
              body: { code: 'user.by_manage', field },
            },
          );
      expect(await row(id)).toEqual(before);
    });

    test('the name that it has already may be longer than those that can be chosen', async () => {
      const username = `someone-from-elsewhere-${'x'.repeat(64)}`;
      const { id } = await addAccount(hub(), { username });
      expect(await update({ id, username, display_name: 'x' })).toMatchObject({ status: 200 });
      expect(await update({ id, username: `${username}2` })).toMatchObject({
        status: 400,
        body: { code: 'user.name', field: 'username' },
      });
    });

    test('a taken name or address is refused', async () => {
      const other = await addAccount(hub(), { email: 'taken@example.org' });
      const { id } = await addAccount(hub());
      const before = await row(id);
      await update({ id: other.id, username: 'takenname' });
      expect(await update({ id, username: 'TakenName' })).toMatchObject({ status: 409, body: { field: 'username' } });
      expect(await update({ id, email: 'Taken@example.org' })).toMatchObject({ status: 409, body: { field: 'email' } });
      expect(await update({ id, group: 'nowhere' })).toMatchObject({
        status: 400,
        body: { code: 'group.unknown', field: 'group' },
      });
      expect(await row(id)).toEqual(before);
    });

    test('an empty password stays what it was; a short or easy one is refused', async () => {
      const { id, username } = await addAccount(hub());
      expect(await update({ id, password: '' })).toMatchObject({ status: 200 });
      for (const password of ['short', 'qwertyuiop', `${username}1`])
        expect(await update({ id, password })).toMatchObject({ status: 400, body: { field: 'password' } });
      await new ApiClient(hub().url).signIn(username, PASSWORD);
    });

    test('an unknown user cannot be changed', async () => {
      const { id } = await addAccount(hub(), { deleted_time: 1 });
      for (const gone of [id, 987_654_321])
        expect(await update({ id: gone, display_name: 'x' })).toMatchObject({ status: 404, body: { field: 'id' } });
    });
  });

  describe('the list', () => {
    const find = (query: Record<string, string | number>) => admin.client.call(userAdminApi.list, { query });
    const names = async (query: Record<string, string | number>) =>
      (await find({ order: 'id', ...query })).data.map(({ username }) => username);
    let first: number;

    beforeAll(async () => {
      ({ id: first } = await addAccount(hub(), { username: 'list-Alpha', group: 'svip', quota: 300 }));
      await addAccount(hub(), { username: 'list-beta', display_name: 'x_y', group: 'svip', quota: 500 });
      await addAccount(hub(), {
        username: 'list-gamma',
        display_name: 'xzy',
        email: '100%@example.org',
        group: 'svip',
      });
      await addAccount(hub(), { username: 'list-delta', group: 'svip', role: role.admin, status: userStatus.disabled });
      await addAccount(hub(), { username: 'list-gone', group: 'svip', quota: 700, deleted_time: 1 });
    });

    test.each<[Record<string, string | number>, string[]]>([
      [{ keyword: 'LIST-' }, ['list-Alpha', 'list-beta', 'list-gamma', 'list-delta']],
      [{ keyword: 'ist-' }, []],
      [{ keyword: 'x_' }, ['list-beta']],
      [{ keyword: '100%' }, ['list-gamma']],
      [{ keyword: '%' }, []],
      [{ keyword: '_' }, []],
      [{ keyword: 'sv\\' }, []],
      [{ group: 'svip', keyword: 'list', status: userStatus.disabled }, ['list-delta']],
      [{ keyword: 'list', role: role.admin }, ['list-delta']],
      [{ keyword: 'list', role: role.user, size: 2 }, ['list-Alpha', 'list-beta']],
      [{ keyword: 'list', role: role.user, size: 2, page: 2 }, ['list-gamma']],
      [{ keyword: '99999999999999999999' }, []],
    ])('%o finds %o', async (query, expected) => {
      expect(await names(query)).toEqual(expected);
    });

    test('a number finds the account of that id', async () => {
      expect(await names({ keyword: String(first) })).toContain('list-Alpha');
    });

    test('the balances of all that fit are summed up, whatever the page', async () => {
      expect(await find({ keyword: 'list', size: 1 })).toMatchObject({ total_count: 4, total_quota: 800 });
      expect(await find({ keyword: 'nobody at all' })).toMatchObject({ total_count: 0, total_quota: 0 });
    });

    test.each(userColumns)('can be ordered by %s, both ways', async (column) => {
      const ids = async (order: string) => (await find({ keyword: 'list', order })).data.map(({ id }) => id);
      expect(await ids(`-${column}`)).toEqual((await ids(column)).toReversed());
    });

    test('shows when a token was last used', async () => {
      const caller = await addAccount(hub(), { username: 'list-caller' });
      const token = { user_id: caller.id, key_cipher: '', key_hint: '', status: 1, created_time: 1, expired_time: -1 };
      const rest = { remain_quota: 0, unlimited_quota: true, group: '', enable_cache: false, name: 'x' };
      await hub()
        .server.deps.db.insertInto('tokens')
        .values([7, 9, 8].map((at) => ({ ...token, ...rest, key_hash: `list-${at}`, accessed_time: at })))
        .execute();
      expect(await admin.client.call(userAdminApi.get, { params: { id: caller.id } })).toMatchObject({
        last_call_time: 9,
      });
    });

    test('no answer holds a secret', async () => {
      await hub().root.send('POST', '/api/user/token');
      for (const path of ['/api/user/?size=100', `/api/user/${admin.id}`])
        expect(JSON.stringify((await hub().root.send('GET', path)).body)).not.toMatch(/password|argon2|token|held/);
    });
  });
});
