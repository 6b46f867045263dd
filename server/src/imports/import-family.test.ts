import path from 'node:path';
import { creditsFor, noUsage, orderApi, passkeyApi, ratesOf, taskApi, type Usage } from '@relay-hub/contract';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { openKeys } from '#features/channel/keys/channel-keys.ts';
import { opened } from '#features/channel/keys/channel-secrets.ts';
import { openConfig } from '#features/payment/gateway-config.ts';
import { journalFolder } from '#quota/journal.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat } from '#testing/chat.ts';
import { emptyPostgres, emptySqlite, newSqlite } from '#testing/databases.ts';
import { ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { hasMariadb, startMariadb } from '#testing/mariadb.ts';
import { oldDevice } from '#testing/old-databases/old-history.ts';
import { type OldTable, writeOldMysql, writeOldPostgres, writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { doneHub, newApi, OLD_PASSWORD, oldKeys, oneApi } from '#testing/old-databases/old-worlds.ts';
import { runImport } from './run-import.ts';
import { openSource } from './sources/open-source.ts';

/** A place for the tables of an old program; its address. */
type WriteOld = (tables: readonly OldTable[]) => Promise<{ from: string; remove: () => Promise<void> }>;

const inSqlite: WriteOld = async (tables) => {
  const place = await emptySqlite();
  const from = path.join(place.dataDir, 'one-api.db');
  writeOldSqlite(from, tables);
  return { from, remove: place.remove };
};

const inPostgres: WriteOld = async (tables) => {
  const place = await emptyPostgres();
  await writeOldPostgres(place.databaseUrl!, tables);
  return { from: place.databaseUrl!, remove: place.remove };
};

const inMariadb: WriteOld = async (tables) => {
  const server = await startMariadb();
  await writeOldMysql(server.url, tables);
  return { from: server.url, remove: server.stop };
};

const places: [string, WriteOld, boolean][] = [
  ['SQLite', inSqlite, true],
  ['PostgreSQL', inPostgres, inject('postgresUrl') !== ''],
  ['MariaDB', inMariadb, hasMariadb],
];

for (const [name, write, isThere] of places)
  describe.skipIf(!isThere)(`old databases on ${name}`, () => {
    suite('one-api', write, oneApi, ofOneApi);
    suite('new-api', write, newApi, ofNewApi);
    suite('done-hub', write, doneHub, ofDoneHub);
  });

type World = ReturnType<typeof imported>;

function suite(
  program: string,
  write: WriteOld,
  tables: (upstream: string) => OldTable[],
  more: (world: World) => void,
) {
  describe(`from ${program}`, () => {
    const world = imported(program, write, tables);

    test('keys and passwords work, balances are the same', async () => {
      const { hub, user } = world;
      for (const key of [oldKeys.plain, oldKeys.admin]) {
        const { status, text } = await chat(hub(), `sk-${key}`);
        // In done-hub the token is in a private group of others.
        const isForeign = program === 'done-hub' && key === oldKeys.plain;
        expect({ key, status, text }).toMatchObject({ status: isForeign ? 403 : 200 });
      }
      expect((await user('carol-with-a-long-name')).quota).toBe(0);
      const { opening } = await world.openingOf('alice');
      expect(opening).toBe(123_456);
      if (program !== 'new-api') await new ApiClient(hub().url).signIn('alice', OLD_PASSWORD);
      await new ApiClient(hub().url).signIn('carol-with-a-long-name', OLD_PASSWORD);
    });

    test('a second run changes nothing', async () => {
      expect((await world.run()).isIdle).toBe(true);
    });

    test('the books balance: orders and tasks from there have no entries here', async () => {
      const { storage, config } = world.hub().server.deps;
      await caughtUp(world.db());
      const { checks } = await checkBooks(storage, journalFolder(config.dataDir));
      expect(checks.filter(({ differing }) => differing > 0)).toEqual([]);
    });

    more(world);
  });
}

/** A hub that an old database was imported into, open to its users. */
function imported(program: string, write: WriteOld, tables: (upstream: string) => OldTable[]) {
  const hub = hubForSuite(newSqlite);
  const upstream = upstreamForSuite();
  let place: Awaited<ReturnType<WriteOld>>;
  let first: Awaited<ReturnType<typeof run>>;

  const run = async () => {
    const { db, secrets, now, live } = hub().server.deps;
    const database = await openSource(place.from);
    try {
      const options = {
        source: '',
        apply: true,
        final: true,
        accessTokens: false,
        administrators: true,
        securitySettings: true,
      };
      const done = await runImport(database, { db, secrets, now: now() }, options);
      expect(done.program).toBe(program);
      for (const change of ['callers', 'routes', 'prices', 'groups', 'settings'] as const) await live.changed(change);
      return done.report;
    } finally {
      await database.close();
    }
  };
  beforeAll(async () => {
    place = await write(tables(upstream().url));
    first = await run();
  }, 60_000);
  afterAll(() => place?.remove());

  const db = () => hub().server.deps.db;
  return {
    hub,
    run,
    db,
    examples: (topic: Parameters<(typeof first)['remark']>[0]) => first.remarks.get(topic)?.examples ?? [],
    lines: () => first.lines().join('\n'),
    user: (username: string) =>
      db().selectFrom('users').where('username', '=', username).selectAll().executeTakeFirstOrThrow(),
    channel: async (named: string) => {
      const row = await db().selectFrom('channels').where('name', '=', named).selectAll().executeTakeFirstOrThrow();
      const { secrets } = hub().server.deps;
      const keys = await openKeys(db(), secrets, row.id);
      return { ...row, ...opened(secrets, row), keys: keys.map(({ key, status }) => [key, status]) };
    },
    orders: async () => (await hub().root.call(orderApi.list, { query: { order: 'id' } })).data,
    tasks: async () => (await hub().root.call(taskApi.list, { query: { order: 'id' } })).data,
    gateways: async () => {
      const rows = await db().selectFrom('payment_gateways').selectAll().orderBy('id').execute();
      return rows.map((row) => ({ ...row, values: openConfig(row.type, row, hub().server.deps.secrets) }));
    },
    openingOf: async (username: string) => {
      const { credits } = await db()
        .selectFrom('ledger')
        .innerJoin('users', 'users.id', 'ledger.user_id')
        .where('users.username', '=', username)
        .where('ledger.kind', '=', 'opening')
        .select('ledger.credits')
        .executeTakeFirstOrThrow();
      return { opening: credits };
    },
    charge: (model: string, group: number, call: Partial<Usage>) => {
      const price = hub().server.deps.live.prices.find(model)!;
      return creditsFor(ratesOf(price, group), { ...noUsage, ...call });
    },
  };
}

function ofOneApi({ channel, charge, db, examples, hub, lines, user }: World): void {
  test('takes over keys of any length, and pins a channel as before', async () => {
    // The key is known, and limited to other addresses than this one.
    const short = await chat(hub(), 'sk-short-key-of-twenty-1');
    expect([short.status, short.text]).toEqual([403, expect.stringContaining('address_forbidden')]);
    const { id } = await channel('main');
    expect((await chat(hub(), `sk-${oldKeys.admin}-${id}`)).status).toBe(200);
    expect((await chat(hub(), `sk-${oldKeys.plain}-${id}`)).status, 'only administrators').toBe(403);
    expect(examples('restriction')).toEqual(['token 2 (short): models gpt-4o; addresses 192.168.0.0/24']);
  });

  test('leaves out deleted users, and names what cannot come', async () => {
    expect(await db().selectFrom('users').where('username', 'like', 'deleted_%').selectAll().execute()).toEqual([]);
    expect(examples('lost')).toEqual(['channel 3 (deepl): its type 38 has no counterpart']);
    expect(examples('identity')).toEqual(['alice: GitHub login alice-gh']);
    expect(examples('option_lost')).toEqual(['Theme']);
    expect(lines()).not.toContain('SECRETSK');
  });

  test('rebuilds channels and groups, and binds identities by subject', async () => {
    expect(await channel('aws')).toMatchObject({ type: 32, priority: 0, keys: [['us-east-1|AKID|SECRETSK', 1]] });
    expect(await channel('main')).toMatchObject({
      group: 'default,group',
      priority: 3,
      models: 'gpt-4o,gpt-4o-mini,legacy-model',
    });
    const group = await db().selectFrom('user_groups').where('symbol', '=', 'group').selectAll().executeTakeFirst();
    expect(group).toMatchObject({ name: '默认 分组', ratio: 0.5 });
    const { id } = await user('alice');
    const bound = await db().selectFrom('identities').where('user_id', '=', id).selectAll().execute();
    expect(bound).toMatchObject([{ provider: 'oidc', issuer: 'https://login.example.com', subject: 'subject-1' }]);
  });

  test('charges as there: cached tokens in full, one rounding up', () => {
    // Measured there: (100 + 20 × 4) × 0.075 = 13.5.
    expect(charge('gpt-4o-mini', 1, { input: 60, cached: 40, output: 20 })).toBe(14);
    expect(charge('gpt-4o', 0.5, { input: 1000, output: 500 })).toBe(Math.ceil((1000 + 500 * 4) * 1.25 * 0.5));
  });
}

function ofNewApi(world: World): void {
  const { channel, charge, db, examples, hub, lines, user } = world;
  test('takes over gateways switched off, and top-ups by the rules of each', async () => {
    expect(await world.gateways()).toMatchObject([
      {
        type: 'epay',
        name: 'Alipay',
        enable: false,
        currency: 'CNY',
        values: { key: 'epay-key-1', pay_type: 'alipay' },
      },
      { type: 'stripe', enable: false, currency: 'USD', values: { secret_key: 'sk_live_secret1' } },
      { type: 'epay', name: 'Epay', enable: false, values: { pay_type: '' } },
    ]);
    const stored = await db().selectFrom('payment_gateways').select(['config', 'secrets_cipher']).execute();
    expect(JSON.stringify(stored)).not.toMatch(/epay-key-1|sk_live_secret1/);
    const own = { username: 'alice', amount: 10 };
    expect(await world.orders()).toMatchObject([
      { ...own, trade_no: 'USR2NOabc1', status: 'success', quota: 5_000_000, order_minor: 7301, order_currency: 'CNY' },
      { ...own, trade_no: 'ref_2', status: 'success', quota: 4_750_000, order_minor: 950, order_currency: 'USD' },
      { ...own, trade_no: 'USR2NOabc3', status: 'closed', gateway_name: 'Epay' },
      { ...own, trade_no: 'USR2NOabc6', status: 'closed', gateway_name: 'Alipay' },
    ]);
    expect(examples('order_unknown')).toEqual([
      'order creem-4: paid with creem',
      'order plan-5: it bought a subscription',
    ]);
    expect(examples('order_closed')).toEqual(['order USR2NOabc6']);
    expect(examples('subscription')).toEqual(['user 2: 600 credits until 2023-11-14, group vip afterwards']);
  });

  test('takes over ended tasks with their results, without the keys of their channels', async () => {
    const { id } = await channel('main');
    expect(await world.tasks()).toMatchObject([
      { task_id: 'song-1', platform: 'suno', model: 'suno_music', channel_id: id, media: [{ kind: 'audio' }] },
      { task_id: 'task_2', platform: 'video', model: 'kling-v2', prompt: 'a boat', media: [{ kind: 'video' }] },
      { task_id: 'task_3', status: 'FAILURE', fail_reason: 'blocked', quota: 0, media: [] },
      { task_id: '1700000000000001', platform: 'midjourney', quota: 25_000, finish_time: 1_700_000_061 },
    ]);
    expect(JSON.stringify(await db().selectFrom('tasks').selectAll().execute())).not.toContain('sk-upstream-secret');
    expect(lines()).not.toMatch(/sk-upstream-secret|sk_live_secret1|epay-key-1/);
  });

  test('a passkey from there signs in at the same host', async () => {
    const origin = hub().url.replace('127.0.0.1', 'localhost');
    const client = new ApiClient(origin);
    const { challenge } = await client.call(passkeyApi.beginSignIn);
    const body = oldDevice.use({ challenge, origin, host: 'localhost' });
    expect(await client.try(passkeyApi.signIn, { body })).toMatchObject({ body: { data: { username: 'alice' } } });
    expect(examples('passkey')).toEqual(['passkey 1 of user 2: localhost']);
  });

  test('takes over each key of a channel with its state', async () => {
    expect(await channel('main')).toMatchObject({
      keys: [
        ['k-1', 1],
        ['k-2', 3],
        ['k-3', 1],
      ],
      model_mapping: '{"a":"gpt-4o","b":"gpt-4o"}',
      model_headers: '{"X-Plain":"1"}',
      weight: 10,
    });
    expect(await channel('aws')).toMatchObject({
      type: 32,
      weight: 15,
      proxy: 'http://127.0.0.1:3128',
      keys: [['us-west-2|AKID|SECRETSK', 1]],
    });
    expect(await channel('vertex')).toMatchObject({
      type: 42,
      other: 'us-central1|my-project',
      keys: [['{"type":"service_account","project_id":"my-project"}', 1]],
    });
    expect(examples('lost')).toEqual(['channel 4 (codex): its type 57 has no counterpart']);
    expect(examples('unknown_table')).toEqual(['of_a_fork']);
  });

  test('takes over the rules of a channel, and lists operations without a counterpart', async () => {
    const rulesOf = async (name: string) => JSON.parse((await channel(name)).request_rules) as object;
    expect(await rulesOf('main')).toMatchObject([
      { action: 'default', field: 'top_p', value: 0.5 },
      { action: 'delete', field: 'a.b' },
    ]);
    expect(await rulesOf('aws')).toMatchObject([
      { action: 'set', field: 'temperature', value: 0 },
      { action: 'set', field: 'n', value: 1 },
    ]);
    expect(examples('channel_field')).toContain('channel 1 (main): param_override append messages');
  });

  test('takes over the second step, GitHub numbers, access tokens and keys of 128 characters', async () => {
    const alice = await user('alice');
    expect(await db().selectFrom('totp').selectAll().execute()).toMatchObject([{ user_id: alice.id }]);
    const github = await db().selectFrom('identities').where('provider', '=', 'github').selectAll().execute();
    expect(github).toMatchObject([{ user_id: alice.id, subject: '4711' }]);
    const self = await fetch(`${hub().url}/api/user/self`, {
      headers: { authorization: 'YWJjZGVmZ2hpamtsbW5vcHFy+/w=' },
    });
    expect(await self.json()).toMatchObject({ data: { username: 'alice' } });
    // The key is limited to other addresses than this one.
    const limited = await chat(hub(), `sk-${'x'.repeat(128)}`);
    expect([limited.status, limited.text]).toEqual([403, expect.stringContaining('address_forbidden')]);
    expect(examples('restriction')).toEqual([
      'token 2 (limited): models gpt-4o, gpt-4o-mini; addresses 10.0.0.1, 10.0.0.2',
    ]);
    expect(examples('auto_group')).toEqual(['token 2 (limited)']);
  });

  test('charges as there', () => {
    // Measured there: (60 + 40 × 0.5 + 20 × 4) × 0.075 × 0.5 = 6.
    expect(charge('gpt-4o-mini', 0.5, { input: 60, cached: 40, output: 20 })).toBe(6);
    // Output audio: input × audio × completion of audio.
    expect(charge('gpt-4o-mini', 1, { outputAudio: 100 })).toBe(Math.ceil(100 * 0.075 * 8 * 2));
    expect(charge('dall-e-3', 1, {})).toBe(0.04 * 500_000);
    expect(charge('gpt-4o', 1, { input: 100, cached: 100, output: 10 }), 'no ratio: in full').toBe((200 + 40) * 1.25);
    expect(charge('tiered', 1, { input: 100, cached: 100, output: 10 })).toBe(Math.ceil(125 + 12.5 + 75));
    // By the length of the prompt: a rule, and no remark.
    expect(hub().server.deps.live.prices.find('stepped')).toMatchObject({
      input: 1.25,
      rules: [{ over: 200_000, effect: 'replace', input: 2.5, output: 10 }],
    });
    expect(examples('price_differs').some((text) => text.startsWith('stepped:'))).toBe(false);
  });

  test('names the kinds of calls whose charges differ', () => {
    expect(examples('price_differs')).toEqual(
      expect.arrayContaining([
        'gpt-4o: fees here for web_search, file_search, code_session',
        'gpt-4o: one price as there, while the price here has rules for tiers',
        'gpt-4o: batches cost what batch/gpt-4o says here',
        'deepseek-flash: one price as there, while the price here has rules for hours',
        'deepseek-v4-pro (channel 3): not priced there, at our own price here, with rules for hours',
      ]),
    );
  });
}

function ofDoneHub(world: World): void {
  const { channel, charge, db, examples, hub, user } = world;
  test('takes over gateways, orders, tasks and passkeys with its own columns', async () => {
    expect(await world.gateways()).toMatchObject([{ name: 'Alipay by epay', enable: false }, { name: 'Old Stripe' }]);
    expect(examples('gateway_field')).toContain('payment gateway 1 (Alipay by epay): its currency rate 7.3');
    expect((await world.orders()).map(({ status }) => status)).toEqual(['success', 'closed', 'closed']);
    expect((await world.tasks()).map(({ task_id, status }) => [task_id, status])).toEqual([
      ['song-1', 'SUCCESS'],
      ['clip-1', 'SUCCESS'],
      ['1700000000000001', 'SUCCESS'],
      ['done-hub-image-2', 'FAILURE'],
    ]);
    const { id } = await user('alice');
    expect(await db().selectFrom('passkeys').selectAll().execute()).toMatchObject([
      {
        user_id: id,
        credential_id: oldDevice.id.toString('base64url'),
        public_key: oldDevice.publicKey.toString('base64url'),
        name: 'Phone',
        host: 'old.example.com',
        synced: true,
      },
    ]);
  });

  test('takes over its own columns, and lists what has no counterpart', async () => {
    const { disabled_stream, request_rules } = await channel('main');
    expect(disabled_stream).toBe('gpt-4o-mini');
    expect(JSON.parse(request_rules)).toMatchObject([
      { action: 'default', field: 'top_k', value: 1, models: ['gpt-4o'], before_conversion: true },
    ]);
    expect(examples('channel_field')).toContain('channel 1 (main): custom_parameter stream');
    expect(examples('restriction')).toEqual(['token 2 (alice): models gpt-4o; addresses 10.0.0.0/8']);
    expect(hub().server.deps.live.settings.QuotaRemindThreshold).toBe(500_000);
  });

  test('charges with its own ratios, and in full where it names none', () => {
    expect(charge('gpt-4o', 1, { input: 100, cached: 100, output: 10 })).toBe(250 + 62.5 + 75 + 0.5);
    expect(charge('gpt-4o-mini', 1, { cached: 1000 })).toBe(75);
    // Its price of long prompts is a rule; a multiple of 0 has no effect there.
    expect(hub().server.deps.live.prices.find('gpt-4o')).toMatchObject({
      rules: [{ over: 128_000, effect: 'multiply', input: 2, output: 1 }],
    });
  });
}
