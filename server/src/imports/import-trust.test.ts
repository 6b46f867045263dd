import path from 'node:path';
import {
  channelApi,
  logApi,
  optionApi,
  orderApi,
  paymentApi,
  redemptionApi,
  role,
  taskApi,
  tokenAdminApi,
  userAdminApi,
  userApi,
  userGroupApi,
} from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { emptySqlite, onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite } from '#testing/hub.ts';
import { type OldColumn, type OldTable, writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { OLD_PASSWORD, oneHub } from '#testing/old-databases/old-worlds.ts';
import type { Topic } from './report.ts';
import { type ImportOptions, runImport } from './run-import.ts';
import { openSource } from './sources/open-source.ts';

const nowhere = 'http://127.0.0.1:1';
const rootToken = '0123456789abcdef0123456789abcdef';

const tableIn = (tables: readonly OldTable[], name: string): OldTable => tables.find((each) => each.name === name)!;

onEveryDatabase('an old database that may be hostile', (make) => {
  const hub = hubForSuite(make);
  let folder: string;
  let files = 0;
  beforeAll(async () => {
    folder = (await emptySqlite()).dataDir;
  });

  const importOf = async (tables: readonly OldTable[], more: Partial<ImportOptions> = {}) => {
    const file = path.join(folder, `old-${++files}.db`);
    writeOldSqlite(file, tables);
    const { db, secrets, now, live } = hub().server.deps;
    const database = await openSource(file);
    try {
      const options = { source: '', apply: true, final: true, accessTokens: false, ...more };
      const { report } = await runImport(database, { db, secrets, now: now() }, options);
      return {
        remarks: report.remarks,
        lines: report.lines(),
        of: (topic: Topic) => report.remarks.get(topic)?.examples ?? [],
      };
    } finally {
      await database.close();
      for (const change of ['callers', 'routes', 'prices', 'groups', 'settings'] as const) await live.changed(change);
    }
  };
  const roles = async () =>
    Object.fromEntries(
      (await hub().root.call(userAdminApi.list, { query: { size: 100 } })).data.map((user) => [
        user.username,
        user.role,
      ]),
    );
  const userNamed = async (name: string) =>
    (await hub().root.call(userAdminApi.list, { query: { size: 100 } })).data.find(({ username }) => username === name);

  const expectBooksToBalance = async () => {
    const { storage, config } = hub().server.deps;
    const { checks } = await checkBooks(storage, journalFolder(config.dataDir));
    expect(checks.filter(({ differing }) => differing > 0)).toEqual([]);
  };

  /** Two administrators that are not from here, a way into the account of root, and settings that open the site. */
  const hostile = (): OldTable[] => {
    const tables = oneHub(nowhere, {
      SystemName: 'Old Hub',
      RegisterEnabled: 'true',
      Footer: '<p>welcome</p>',
      OIDCAuthEnabled: 'true',
      OIDCIssuer: 'https://login.attacker.example',
      QuotaForNewUser: '999999999999',
      SMTPToken: 'smtp-secret-1',
      OutboundPrivateNetworks: '10.0.0.0/8',
      FamilyMode: 'true',
    });
    const { rows } = tableIn(tables, 'users');
    const [root, alice] = [rows[0]!, rows[1]!];
    Object.assign(root, { github_id_new: 666, request_count: 6 });
    rows.push({ ...alice, id: 11, username: 'mallory', role: 100, aff_code: 'm', github_id_new: 0, email: '' });
    rows.push({ ...alice, id: 12, username: 'bob', role: 10, aff_code: 'b', github_id_new: 0, email: '' });
    const { rows: keys } = tableIn(tables, 'tokens');
    keys.push({ ...keys[1]!, id: 12, user_id: 12, name: 'of bob', key: 'BobBobBobBobBobB0123456789abcdef' });
    return tables;
  };

  const wanted = ['Footer: <p>welcome</p>', 'OIDCAuthEnabled: true', 'QuotaForNewUser: 999999999999'];

  test('gives no rights and no settings that decide about security: they are listed for a decision', async () => {
    const before = (await userNamed('root'))!;
    const report = await importOf(hostile());
    expect(report.of('privileged')).toEqual(['root: role 100', 'mallory: role 100', 'bob: role 10']);
    expect(report.of('option_guarded')).toEqual(
      expect.arrayContaining([...wanted, 'OIDCIssuer: https://login.attacker.example', 'SMTPToken: (a secret)']),
    );
    expect(report.of('option_guarded').join()).not.toContain('RegisterEnabled');
    expect(report.of('option_lost')).toEqual(['OutboundPrivateNetworks', 'FamilyMode']);
    const text = report.lines.join('\n');
    expect(text).toMatch(/\nNeeds a decision\n\n! administrators there.*\n {4}root: role 100/);
    expect(text).toMatch(/\nKeys that will stop working\n\n! calls with these keys/);
    expect(report.of('key_stops')).toEqual(
      expect.arrayContaining([
        'token 1 (root key): its owner is an administrator, who does not come',
        'token 12 (of bob): its owner is an administrator, who does not come',
        'token 3 (old): the group vip is private',
      ]),
    );
    expect(await roles()).toEqual({ root: 100, alice: 1, 'carol-with-a-long-name': 1, trusted: 1 });
    expect(await userNamed('root')).toMatchObject({ quota: before.quota, github_id_new: 0 });
    const options = Object.fromEntries((await hub().root.call(optionApi.list)).map(({ key, value }) => [key, value]));
    expect(options).toMatchObject({ SystemName: 'Old Hub', Footer: '', OIDCIssuer: '', QuotaForNewUser: '0' });
  });

  test('a user who became an administrator there since stays a user here', async () => {
    const tables = hostile();
    tableIn(tables, 'users').rows[1]!['role'] = 100;
    const report = await importOf(tables);
    expect(report.of('privileged')).toContain('alice: role 100');
    expect((await userNamed('alice'))?.role).toBe(role.user);
  });

  test('gives both on request; the report adds up the merged account, and its access token works', async () => {
    const before = (await userNamed('root'))!;
    const report = await importOf(hostile(), { administrators: true, securitySettings: true, accessTokens: true });
    expect(report.remarks.has('privileged') || report.remarks.has('option_guarded')).toBe(false);
    expect(report.of('merged')).toEqual([
      `root: ${before.quota} credits here + 5000 there = ${before.quota + 5000}`,
      `root: ${before.request_count} calls here + 6 there = ${before.request_count + 6}`,
    ]);
    expect(await userNamed('root')).toMatchObject({
      quota: before.quota + 5000,
      request_count: before.request_count + 6,
      github_id_new: 666,
    });
    expect(await roles()).toMatchObject({ mallory: 100, bob: 10, alice: 1 });
    const self = await new ApiClient(hub().url).send('GET', userApi.self.path, undefined, { authorization: rootToken });
    expect(self).toMatchObject({ status: 200, body: { data: { username: 'root' } } });
    const options = Object.fromEntries((await hub().root.call(optionApi.list)).map(({ key, value }) => [key, value]));
    expect(options).toMatchObject({ Footer: '<p>welcome</p>', QuotaForNewUser: '999999999999' });
    // Without the options again: nothing is taken back.
    await importOf(hostile());
    expect(await roles()).toMatchObject({ mallory: 100, bob: 10 });
    await expectBooksToBalance();
  });

  test('the access token of the super administrator is named where there is one here', async () => {
    const report = await importOf(hostile(), { source: 'second', administrators: true, accessTokens: true });
    expect(report.of('access_token')).toContain('root: there is one here');
  });

  test('an expensive password hash is none, and texts that nobody could use are left out with their name', async () => {
    const tables = oneHub(nowhere);
    const { rows } = tableIn(tables, 'users');
    const [, alice] = rows;
    const plain = { ...alice, email: '', github_id_new: 0, access_token: null };
    rows.splice(0, rows.length);
    for (const [i, change] of [
      { username: 'slow', password: `$2a$31$${'a'.repeat(53)}` },
      { username: 'mails', email: 'a@b.c\r\nBcc: x@y.z' },
      { username: 'long-mail', email: `${'x'.repeat(60)}@example.com` },
      { username: 'two\r\nlines' },
      { username: 'nul\0' },
      { username: 'right', display_name: 'half \ud83d', avatar_url: 'javascript:alert(1)' },
    ].entries())
      rows.push({ ...plain, id: 100 + i, aff_code: `t${i}`, ...change });
    const report = await importOf(tables, { source: 'texts' });
    expect(report.of('no_password')).toEqual(['slow']);
    expect(report.of('email_lost')).toEqual([
      String.raw`mails: a@b.c\u{d}\u{a}Bcc: x@y.z`,
      `long-mail: ${'x'.repeat(60)}@example.com`,
    ]);
    expect(report.of('lost').filter((line) => line.startsWith('user'))).toEqual([
      'user 103 (two lines): its name has characters that cannot be used',
      expect.stringMatching(/^user 104 .*: its name has characters that cannot be used$/),
    ]);
    const { db } = hub().server.deps;
    for (const username of ['slow', 'mails', 'long-mail'])
      expect(await userNamed(username)).toMatchObject({ email: '' });
    const slow = await db.selectFrom('users').where('username', '=', 'slow').selectAll().executeTakeFirstOrThrow();
    expect(slow.password_hash).toBe('');
    await new ApiClient(hub().url).signIn('right', OLD_PASSWORD);
  });

  test('keys that no channel answers here are listed, whatever the reason', async () => {
    const tables = oneHub(nowhere);
    const { rows: users } = tableIn(tables, 'users');
    users.push({
      ...users[1]!,
      id: 20,
      username: 'lonely',
      group: 'lonely',
      aff_code: 'l',
      email: '',
      github_id_new: 0,
    });
    const keys = tableIn(tables, 'tokens');
    keys.columns = { ...keys.columns, models: 'text' };
    const key = (id: number, more: object) => ({ ...keys.rows[1]!, id, key: `stopped-key-0123456789-${id}`, ...more });
    keys.rows.push(
      key(20, { user_id: 20, name: 'auto', group: 'auto' }),
      key(21, { name: 'unserved', models: 'no-such-model' }),
      key(22, { name: 'unpriced', models: 'legacy-model' }),
      key(23, { name: 'served', models: 'gpt-4o' }),
      key(24, { name: 'off', models: 'no-such-model', status: 2 }),
      key(25, { name: 'over', models: 'no-such-model', expired_time: 1_700_000_000 }),
      key(26, { name: 'wrong', models: 'x'.repeat(300) }),
      key(27, { name: 'blank', key: 'a key with blanks in it' }),
    );
    for (const apply of [false, true])
      expect((await importOf(tables, { source: 'stopped', apply })).of('key_stops')).toEqual(
        expect.arrayContaining([
          'token 20 (auto): no channel serves the group lonely',
          'token 21 (unserved): no channel of the group default serves its models',
          'token 22 (unpriced): none of its models has a price',
          'token 26 (wrong): its restriction is not valid here',
        ]),
      );
    const { of } = await importOf(tables, { source: 'stopped' });
    expect(of('key_stops').join()).not.toMatch(/\((served|off|over)\)/);
    expect(of('key_stops')).toContain('token 27 (blank): it cannot be taken over');
    expect(of('lost')).toContain('token 27 (blank): its key has characters that cannot be used');
  });

  describe('odd values in every column', () => {
    const odd: [name: string, value: string | number | null][] = [
      ['a huge number', '4611686018427387904'],
      ['a huge negative number', '-4611686018427387904'],
      ['more than 32 bits', 5_000_000_000],
      ['a negative number', -7],
      ['a fraction', 0.5],
      ['more than any number', '1e400'],
      ['a word', 'word'],
      ['NUL', 'a\0b'],
      ['two lines', 'a\r\nb'],
      ['escapes', '\u001b[2J\u202ea'],
      ['JSON with NUL', '{"a":{"b":"\\u0000"}}'],
      ['JSON of the wrong kind', '[[1],"x",null]'],
      ['a long text', 'x'.repeat(5000)],
      ['nothing', null],
    ];
    /** A copy of a row for each column and value, with unique names and keys. */
    const spoiled = ({ name, columns, rows }: OldTable): OldTable => {
      const [, row = rows[0]!] = rows;
      const unique = [
        'username',
        'aff_code',
        'key',
        'trade_no',
        'task_id',
        'mj_id',
        'uuid',
        'model',
        'symbol',
        'email',
      ];
      let n = 1000;
      const copies = Object.keys(columns).flatMap((column) =>
        odd.flatMap(([, value]) => {
          // The database itself refuses other ids, and texts that are keys of the table.
          if (column === 'id') return [];
          n++;
          const own = unique
            .filter((each) => each in columns && each !== 'email')
            .map((each) => [each, `odd-value-${name}-${n}`]);
          const id = 'id' in columns ? { id: n } : {};
          return [
            { ...row, ...id, ...Object.fromEntries(own), email: '', github_id_new: 0, telegram_id: 0, [column]: value },
          ];
        }),
      );
      const fitting = copies.map((copy) => Object.fromEntries(Object.entries(copy).filter(([key]) => key in columns)));
      return { name, columns, rows: [...rows, ...(fitting as OldTable['rows'])] };
    };

    test('end neither the import nor a list here', async () => {
      const logs: Record<string, OldColumn> = {
        id: 'id',
        user_id: 'int',
        created_at: 'int',
        type: 'int',
        content: 'text',
        username: 'text',
        token_name: 'text',
        model_name: 'text',
        quota: 'int',
        prompt_tokens: 'int',
        completion_tokens: 'int',
        channel_id: 'int',
        request_time: 'int',
        is_stream: 'bool',
        source_ip: 'text',
      };
      const call = {
        id: 1,
        user_id: 2,
        created_at: 1_700_000_000,
        type: 2,
        content: '',
        username: 'alice',
        token_name: 'a',
      };
      const more = {
        model_name: 'gpt-4o',
        quota: 1,
        prompt_tokens: 1,
        completion_tokens: 1,
        channel_id: 1,
        request_time: 5,
      };
      const rows = [{ ...call, ...more, is_stream: true, source_ip: '' }];
      const whole = [...oneHub(nowhere), { name: 'logs', columns: logs, rows }];
      const report = await importOf(
        whole.map((table) => (table.name === 'options' ? table : spoiled(table))),
        {
          source: 'odd',
          logs: true,
          administrators: true,
          securitySettings: true,
          accessTokens: true,
        },
      );
      for (const line of report.lines) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(report.of('lost').some((line) => line.includes('too large') || line.includes('not valid'))).toBe(true);
      const { root } = hub();
      for (const endpoint of [
        userAdminApi.list,
        tokenAdminApi.list,
        channelApi.list,
        redemptionApi.list,
        orderApi.list,
        taskApi.list,
        logApi.list,
        userGroupApi.list,
      ])
        for (let page = 1; ; page++) {
          const { data, total_count: total } = await root.call(endpoint, { query: { page, size: 100 } });
          if (data.length < 100 || page * 100 >= total) break;
        }
      await root.call(paymentApi.list);
      await expectBooksToBalance();
    }, 120_000);
  });
});
