import {
  auditApi,
  type AuditEntry,
  channelApi,
  optionApi,
  redemptionApi,
  role,
  routeApi,
  totpApi,
  userAdminApi,
  userApi,
  userGroupApi,
} from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { withWitness } from '#db/before-commit.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, type ApiClient, hubForSuite } from '#testing/hub.ts';
import { addAccount, addPerson } from '#testing/people.ts';

const readHash = (row: unknown): unknown =>
  typeof row === 'object' && row !== null && 'password_hash' in row ? row.password_hash : undefined;

onEveryDatabase('the audit log', (make) => {
  const hub = hubForSuite(make);

  const newest = async (client: ApiClient = hub().root): Promise<AuditEntry> => {
    const { data } = await client.call(auditApi.list, { query: { size: 1 } });
    return data[0]!; // earlier entries exist
  };
  const detailOf = async (entry: AuditEntry) => hub().root.call(auditApi.get, { params: { id: entry.id } });
  const count = async (): Promise<number> =>
    (await hub().server.deps.db.selectFrom('audit').select('id').execute()).length;

  describe('of what was done', () => {
    test('says who, from where, to what, and what it was before and after', async () => {
      const { id } = await addAccount(hub());
      await hub().root.call(userAdminApi.update, { body: { id, display_name: 'Another name' } });
      const entry = await newest();
      expect(entry).toMatchObject({
        actor_name: 'root',
        actor_role: role.root,
        ip: '127.0.0.1',
        via: 'session',
        method: 'PUT',
        path: '/api/user/',
        kind: 'user',
        object_id: String(id),
        object_name: expect.stringMatching(/^person-/),
        status: 200,
        code: '',
      });
      const { before, after, input } = await detailOf(entry);
      expect(before).toMatchObject({ display_name: '' });
      expect(after).toMatchObject({ display_name: 'Another name' });
      expect(input).toMatchObject({ body: { id, display_name: 'Another name' } });
    });

    test('names created and deleted records', async () => {
      const made = await hub().root.call(userGroupApi.create, { body: { symbol: 'audited', name: 'Audited' } });
      expect(await newest()).toMatchObject({ kind: 'user_group', object_id: String(made.id), object_name: 'audited' });
      await hub().root.call(userGroupApi.remove, { params: { id: made.id } });
      const gone = await detailOf(await newest());
      expect(gone).toMatchObject({ method: 'DELETE', object_name: 'audited', after: null });
      expect(gone.before).toMatchObject({ symbol: 'audited' });
    });

    test('records settings by key, one or several, each with its value before and after', async () => {
      const { root } = hub();
      await root.call(optionApi.set, { body: { key: 'SystemName', value: 'First' } });
      expect(await detailOf(await newest())).toMatchObject({
        kind: 'option',
        object_id: 'SystemName',
        object_name: 'SystemName',
        before: {},
        after: { SystemName: 'First' },
      });
      const values = { SystemName: 'Second', RetryTimes: '7', SMTPToken: 'smtp-of-many', GroupRatio: '{"default":2}' };
      await root.call(optionApi.setMany, { body: { values } });
      const many = await detailOf(await newest());
      expect(many).toMatchObject({
        object_id: 'GroupRatio,RetryTimes,SMTPToken,SystemName',
        before: { SystemName: 'First', GroupRatio: expect.stringContaining('"default":1') as string },
        after: {
          SystemName: 'Second',
          RetryTimes: '7',
          SMTPToken: expect.stringMatching(/^•+ #.{4}$/) as string,
          GroupRatio: expect.stringContaining('"default":2') as string,
        },
      });
      const [change] = (await root.call(optionApi.history, { query: { key: 'SystemName' } })).data;
      await root.call(optionApi.restore, { params: { id: change!.id } });
      expect(await detailOf(await newest())).toMatchObject({
        object_id: 'SystemName',
        before: { SystemName: 'Second' },
        after: { SystemName: 'First' },
      });
      await root.call(optionApi.setMany, { body: { values: { SystemName: null, GroupRatio: '{"default":1}' } } });
      expect(await detailOf(await newest())).toMatchObject({ before: { SystemName: 'First' } });
    });

    test('goes with the transaction of the change: without the entry there is no change', async () => {
      const { db } = hub().server.deps;
      const { id } = await addAccount(hub());
      const change = withWitness(
        async () => {
          throw new Error('the entry cannot be written');
        },
        () => db.transaction().execute((trx) => trx.deleteFrom('users').where('id', '=', id).execute()),
      );
      await expect(change).rejects.toThrow('the entry cannot be written');
      expect(await db.selectFrom('users').where('id', '=', id).select('id').execute()).toHaveLength(1);
    });

    test('is there once, whatever number of transactions a call takes, and not for questions', async () => {
      const before = await count();
      const id = await addChannel(hub(), 'http://127.0.0.1:9');
      await hub().root.call(channelApi.update, { body: { id, name: 'renamed' } });
      await hub().root.try(routeApi.explain, { body: { model: 'gpt-4o' } });
      expect(await count()).toBe(before + 2);
    });

    test('is noted of an access token as such, and of a second factor that was reset', async () => {
      const person = await addPerson(hub());
      await hub().root.call(totpApi.reset, { params: { id: person.id } });
      expect(await newest()).toMatchObject({ kind: 'user', object_id: String(person.id), path: totpApi.reset.path });
    });
  });

  test('holds no secret: neither of what was sent, nor of the record', async () => {
    const secrets = ['sk-audit-secret-key-1', 'Bearer-of-the-audit', 'a-new-password-1', 'proxy-secret', 'never-told'];
    const id = await addChannel(hub(), 'http://127.0.0.1:9', {
      key: secrets[0]!,
      model_headers: JSON.stringify({ 'x-secret': secrets[1] }),
      proxy: `http://somebody:${secrets[3]}@127.0.0.1:8`,
    });
    await hub().root.call(channelApi.update, { body: { id, key: `${secrets[0]}2` } });
    const { id: user } = await addAccount(hub());
    await hub().root.call(userAdminApi.update, { body: { id: user, password: secrets[2]! } });
    const passwordChange = await detailOf(await newest());
    await hub().root.call(optionApi.set, { body: { key: 'SMTPToken', value: 'smtp-never-told' } });
    await hub().root.call(optionApi.setMany, { body: { values: { LarkClientSecret: 'lark-never-told' } } });
    const [codes] = await hub().root.call(redemptionApi.create, { body: { name: 'audited', quota: 1, count: 1 } });
    const rows = JSON.stringify(await hub().server.deps.db.selectFrom('audit').selectAll().execute());
    for (const secret of [...secrets, ...(typeof codes === 'string' ? [codes] : [])])
      expect(rows).not.toContain(secret);
    // That it was changed is visible nevertheless.
    const marked = { password_hash: expect.stringMatching(/^•+ #.{4}$/) as string };
    expect(passwordChange).toMatchObject({ before: marked, after: marked });
    expect(passwordChange.before as object).not.toMatchObject({ password_hash: readHash(passwordChange.after) });
  });

  describe('of what was refused', () => {
    test('says as what, and holds no body that was not in order', async () => {
      const { client } = await addPerson(hub(), { role: role.admin });
      const rootId = (await hub().root.call(userApi.self)).id;
      await client.try(userAdminApi.manage, { body: { id: rootId, action: 'disable' } });
      expect(await newest()).toMatchObject({ kind: 'user', object_id: String(rootId), status: 403, code: 'user.rank' });
      await client.send('POST', '/api/user/', { username: 'x', password: 'never-to-be-seen' });
      const refused = await detailOf(await newest());
      expect(refused).toMatchObject({ status: 400, code: 'input.invalid', input: null });
    });

    test('are recorded for non-administrators only up to a limit', async () => {
      const { client, id } = await addPerson(hub());
      for (let i = 0; i < 25; i++) await client.try(optionApi.set, { body: { key: 'SystemName', value: 'Mine' } });
      const noted = await hub().server.deps.db.selectFrom('audit').where('actor_id', '=', id).selectAll().execute();
      expect(noted).toHaveLength(20);
      expect(noted[0]).toMatchObject({ status: 403, code: 'session.role', kind: 'option' });
    });
  });

  describe('read', () => {
    test('is paged from place to place, also while new entries come in', async () => {
      const group = await hub().root.call(userGroupApi.create, { body: { symbol: 'paged', name: 'Paged' } });
      for (let i = 0; i < 6; i++)
        await hub().root.call(userGroupApi.update, { body: { ...group, name: `Paged ${i}` } });
      const query = { kind: 'user_group', object_id: String(group.id), size: 3 };
      const first = await hub().root.call(auditApi.list, { query });
      expect(first).toMatchObject({ total_count: 7, more: false });
      await hub().root.call(userGroupApi.update, { body: { ...group, name: 'In between' } });
      const second = await hub().root.call(auditApi.list, { query: { ...query, page: 2, after: Number(first.next) } });
      const third = await hub().root.call(auditApi.list, { query: { ...query, page: 3, after: Number(second.next) } });
      const ids = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id));
      expect(new Set(ids).size).toBe(7);
      expect(third.next).toBe('');
      const back = await hub().root.call(auditApi.list, {
        query: { ...query, page: 2, before: Number(third.previous) },
      });
      expect(back.data).toEqual(second.data);
    });

    test('by filters, and as a file', async () => {
      const admin = await addPerson(hub(), { role: role.admin });
      await admin.client.call(userGroupApi.create, { body: { symbol: 'by_admin', name: '=1+1' } });
      await admin.client.try(userGroupApi.create, { body: { symbol: 'by_admin', name: 'again' } });
      const found = (query: object) => hub().root.call(auditApi.list, { query: { actor: admin.username, ...query } });
      expect((await found({})).total_count).toBe(2);
      expect((await found({ result: 1 })).data).toMatchObject([{ object_name: 'by_admin' }]);
      expect((await found({ result: 2 })).data).toMatchObject([{ code: 'record.exists' }]);
      expect((await found({ keyword: 'by_ad' })).total_count).toBe(2);
      expect((await found({ keyword: 'y_ad' })).total_count).toBe(0);
      expect((await found({ start_timestamp: 2_000_000_000 })).total_count).toBe(0);
      const file = await hub().root.download(auditApi.download, {
        query: { actor: admin.username, language: 'en-US' },
      });
      expect(file.split('\r\n')[0]).toContain('Error code');
      expect(file.trim().split('\r\n')).toHaveLength(3);
    });

    test('by an administrator, without what the super administrator does', async () => {
      const { client } = await addPerson(hub(), { role: role.admin });
      const { data } = await client.call(auditApi.list, { query: { size: 100 } });
      expect(data.filter((entry) => entry.actor_role >= role.root)).toEqual([]);
      await hub().root.call(userGroupApi.create, { body: { symbol: 'of_root', name: 'Of root' } });
      const ofRoot = await newest();
      expect(ofRoot.actor_name).toBe('root');
      expect((await client.try(auditApi.get, { params: { id: ofRoot.id } })).status).toBe(404);
    });
  });
});
