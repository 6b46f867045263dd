import { hash } from 'node:crypto';
import path from 'node:path';
import {
  creditsFor,
  type ExtraRatios,
  noUsage,
  orderApi,
  ownOrderApi,
  ratesOf,
  redemptionApi,
  type Usage,
} from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat } from '#testing/chat.ts';
import { emptySqlite, onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { EPAY_KEY, EPAY_UUID } from '#testing/old-databases/old-history.ts';
import { writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { OLD_PASSWORD, oldKeys, oneHub } from '#testing/old-databases/old-worlds.ts';
import { runImport } from './run-import.ts';
import { openSource } from './sources/open-source.ts';

onEveryDatabase('an import from one-hub', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let file: string;

  const importFrom = async (
    from: string,
    more: { apply?: boolean; final?: boolean; logs?: boolean; progress?: (kind: string, done: number) => void } = {},
  ) => {
    const { db, secrets, now } = hub().server.deps;
    const database = await openSource(from);
    try {
      const options = {
        source: '',
        apply: true,
        final: false,
        accessTokens: false,
        administrators: true,
        securitySettings: true,
        ...more,
      };
      return (await runImport(database, { db, secrets, now: now() }, options)).report;
    } finally {
      await database.close();
      await hub().server.deps.live.changed('callers');
      await hub().server.deps.live.changed('routes');
      await hub().server.deps.live.changed('prices');
      await hub().server.deps.live.changed('groups');
    }
  };
  const user = (username: string) =>
    hub().server.deps.db.selectFrom('users').where('username', '=', username).selectAll().executeTakeFirst();

  beforeAll(async () => {
    file = path.join((await emptySqlite()).dataDir, 'one-api.db');
    writeOldSqlite(file, oneHub(upstream().url));
  });

  test('a dry run writes nothing and tells what will happen', async () => {
    const report = await importFrom(file, { apply: false });
    expect(Object.fromEntries(report.counts)).toMatchObject({
      user: { added: 4 },
      token: { added: 4, lost: 1 },
      channel: { added: 2 },
      price: { added: 1, changed: 2, same: 1 },
      code: { added: 2 },
      gateway: { added: 2, lost: 1 },
      order: { added: 2, lost: 2 },
      task: { added: 4 },
    });
    expect(report.remarks.get('order_open')?.examples).toEqual(['order 1850000000000000002']);
    expect(report.remarks.get('order_unknown')?.examples).toEqual([
      'order 1850000000000000004: it has no owner',
      'order 1850000000000000005: it has no gateway',
    ]);
    expect(report.remarks.get('task_open')?.examples).toEqual([
      'task song-3: QUEUED, 50000 credits',
      'image 1700000000000003: IN_PROGRESS, 25000 credits',
    ]);
    expect(report.remarks.get('gateway_off')?.examples).toEqual([
      `Alipay by epay (epay): notifications still go to (server address)/api/payment/notify/${EPAY_UUID}`,
    ]);
    expect(report.remarks.get('merged')?.examples).toEqual([
      'root: 100000000 credits here + 5000 there = 100005000',
      'root: 0 calls here + 2 there = 2',
    ]);
    expect(report.remarks.get('group_forbidden')?.examples).toEqual(['token 3 (old): vip']);
    expect(report.remarks.get('negative')?.examples).toEqual([
      'carol-with-a-long-name: -179 credits',
      'token 4 (spent): -179 credits',
    ]);
    expect(report.remarks.get('unpriced')?.examples).toEqual(['legacy-model (channel 1)']);
    expect(report.lines().join('\n')).not.toMatch(
      /smtp-secret|sk-upstream|secret-header|0123456789abcdef0123456789abcde[12]|epay-key/,
    );
    expect(await user('alice')).toBeUndefined();
    const { db } = hub().server.deps;
    expect(await db.selectFrom('imports').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('channels').selectAll().execute()).toEqual([]);
  });

  test('brings balances, one opening entry each, and the books balance', async () => {
    await importFrom(file);
    const { db } = hub().server.deps;
    expect(await user('alice')).toMatchObject({ quota: 123_456, used_quota: 100, group: 'default', role: 1 });
    expect(await user('carol-with-a-long-name')).toMatchObject({ quota: 0, email: '' });
    expect(await user('trusted')).toMatchObject({ role: 1, group: 'vip', status: 1 });
    expect(await user('gone')).toBeUndefined();
    const entries = await db
      .selectFrom('ledger')
      .where('reference', 'like', 'import:%')
      .select(['kind', 'credits', 'reference'])
      .orderBy('id')
      .execute();
    expect(entries).toEqual([
      { kind: 'opening', credits: 5_000, reference: 'import:one-hub:1' },
      { kind: 'opening', credits: 123_456, reference: 'import:one-hub:2' },
      { kind: 'correction', credits: 179, reference: 'import:one-hub:3:zero' },
      { kind: 'opening', credits: -179, reference: 'import:one-hub:3' },
    ]);
    await expectBooksToBalance();
  });

  test('imported users wait for the last run; the switch lets them in earlier', async () => {
    const refused = await chat(hub(), `sk-${oldKeys.signed}`);
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('account_moving') as string });
    const { body } = await hub().root.try(redemptionApi.redeem, { body: { key: '0123456789abcdef0123456789abcde1' } });
    expect(body).toMatchObject({ code: 'redemption.moving' });
    await hub().root.send('PUT', '/api/option/', { key: 'ImportedUsersWait', value: 'false' });
    expect((await chat(hub(), `sk-${oldKeys.signed}`)).status).toBe(200);
    await hub().root.send('PUT', '/api/option/', { key: 'ImportedUsersWait', value: 'true' });
  });

  test('passwords sign in, and are stored our way from then on', async () => {
    expect((await user('alice'))?.password_hash).toMatch(/^\$2a\$10\$/);
    await expect(new ApiClient(hub().url).signIn('alice', 'wrong password')).rejects.toThrow();
    await new ApiClient(hub().url).signIn('alice', OLD_PASSWORD);
    expect((await user('alice'))?.password_hash).toMatch(/^\$argon2id\$/);
    await new ApiClient(hub().url).signIn('alice', OLD_PASSWORD);
    await new ApiClient(hub().url).signIn('carol-with-a-long-name', OLD_PASSWORD);
  });

  test('a second run changes nothing', async () => {
    const { db } = hub().server.deps;
    const before = await db.selectFrom('ledger').selectAll().execute();
    const report = await importFrom(file);
    expect(report.isIdle).toBe(true);
    expect(Object.fromEntries(report.counts)).toMatchObject({
      user: { same: 4 },
      token: { same: 4 },
      price: { same: 4 },
    });
    expect(await db.selectFrom('ledger').selectAll().execute()).toEqual(before);
  });

  test('a later run posts differences, leaves what changed on both sides, and opens', async () => {
    const { db } = hub().server.deps;
    // Credits leased for earlier calls return at any time.
    const balance = async () => {
      const { quota, held } = (await user('alice'))!;
      return quota + held;
    };
    const spent = await balance();
    await db.updateTable('users').set({ display_name: 'Changed here' }).where('username', '=', 'trusted').execute();
    const later = path.join(path.dirname(file), 'later.db');
    const tables = oneHub(upstream().url);
    const row = (table: string, id: number) =>
      tables.find(({ name }) => name === table)!.rows.find((each) => each['id'] === id)!;
    row('users', 2)['quota'] = 123_456 - 6_000;
    row('users', 2)['used_quota'] = 6_100;
    row('users', 1)['quota'] = 4_000;
    row('users', 5)['display_name'] = 'Changed there';
    row('tokens', 2)['remain_quota'] = 84_000;
    row('tokens', 4)['deleted_at'] = '2026-11-24 00:00:00+00:00';
    row('redemptions', 1)['status'] = 3;
    writeOldSqlite(later, tables);
    const remaining = async () => {
      const token = db.selectFrom('tokens').where('name', '=', 'alice').select(['remain_quota', 'held']);
      const { remain_quota: quota, held } = await token.executeTakeFirstOrThrow();
      return quota + held;
    };
    const left = await remaining();

    const report = await importFrom(later, { final: true });
    expect(await balance()).toBe(spent - 6_000);
    expect(await user('trusted')).toMatchObject({ display_name: 'Changed here' });
    expect(report.remarks.get('left')?.examples).toEqual(['user trusted']);
    expect(report.remarks.get('gone')?.examples).toEqual(['token 4 (spent)']);
    expect(await remaining()).toBe(left - 6_000);
    const { body } = await hub().root.try(redemptionApi.redeem, { body: { key: '0123456789abcdef0123456789abcde1' } });
    expect(body).toMatchObject({ code: 'redemption.redeemed' });
    await expectBooksToBalance();
  });

  test('orders are history, a payment under way is credited once, and old credits can be refunded', async () => {
    const { db } = hub().server.deps;
    const { data } = await hub().root.call(orderApi.list, { query: { order: 'id' } });
    const paid = {
      status: 'success',
      username: 'alice',
      amount: 10,
      quota: 5_000_000,
      fee_minor: 70,
      discount_minor: 50,
      order_minor: 7446,
      order_currency: 'CNY',
      rate: '7.3',
      gateway_no: 'epay-1',
      gateway_name: 'Alipay by epay',
      created_at: 1_700_000_000,
      paid_at: 1_700_000_030,
      receipt_no: '1850000000000000001',
    };
    // Numbers by arrival: the open one came with the last run only.
    expect(data).toMatchObject([
      { ...paid, trade_no: '1850000000000000001' },
      { status: 'closed', trade_no: '1850000000000000003', gateway_name: 'Old Stripe' },
      { status: 'closed', trade_no: '1850000000000000002', paid_at: 0, receipt_no: '' },
    ]);
    expect(await db.selectFrom('ledger').where('kind', '=', 'topup').selectAll().execute()).toEqual([]);
    const client = await new ApiClient(hub().url).signIn('alice', OLD_PASSWORD);
    const own = { params: { trade_no: '1850000000000000001' } };
    expect(await client.call(ownOrderApi.get, own)).toMatchObject({ status: 'success', start: null });
    expect(await client.call(ownOrderApi.receipt, own)).toMatchObject({ order_minor: 7446 });

    const balance = async () => {
      const { quota, held } = (await user('alice'))!;
      return quota + held;
    };
    const before = await balance();
    // No more of an old order can be taken back than the balance still has.
    const { unspent_quota: unspent } = await hub().root.call(orderApi.get, { params: { id: data[0]!.id } });
    expect(unspent).toBe(before);
    const refund = { quota: 50_000, reason: 'test', reference: 'refund-of-old', by_hand: true, remark: 'test' };
    await hub().root.call(orderApi.refund, { params: { id: data[0]!.id }, body: refund });
    expect(await balance()).toBe(before - 50_000);

    const notice = {
      pid: '1001',
      trade_no: 'epay-2',
      out_trade_no: '1850000000000000002',
      type: 'alipay',
      name: 'credits',
      money: '74.46',
      trade_status: 'TRADE_SUCCESS',
    };
    const text = Object.entries(notice).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const sign = hash('md5', text.map(([name, value]) => `${name}=${value}`).join('&') + EPAY_KEY);
    const query = new URLSearchParams({ ...notice, sign, sign_type: 'MD5' }).toString();
    for (let n = 0; n < 2; n++) {
      const reply = await fetch(`${hub().url}/api/payment/notify/${EPAY_UUID}?${query}`);
      expect(await reply.text()).toBe('success');
    }
    expect(await balance()).toBe(before - 50_000 + 5_000_000);
    await expectBooksToBalance();
  });

  test('callers find ended tasks under their old ids, and no others', async () => {
    const asked = async (place: string) => {
      const reply = await fetch(`${hub().url}${place}`, { headers: { authorization: `Bearer sk-${oldKeys.signed}` } });
      return { text: await reply.text() };
    };
    const { text } = await asked('/mj/task/1700000000000001/fetch');
    expect(JSON.parse(text)).toMatchObject({
      status: 'SUCCESS',
      action: 'IMAGINE',
      prompt: 'a lighthouse',
      imageUrl: expect.stringContaining(`${hub().url}/mj/image/1700000000000001`) as string,
    });
    expect(JSON.parse((await asked('/suno/fetch/song-1')).text)).toMatchObject({
      data: { task_id: 'song-1', status: 'SUCCESS', data: [{ title: 'Waves' }] },
    });
    expect((await asked('/suno/fetch/song-3')).text).not.toContain('QUEUED');
  });

  test('every key answers as before, deleted ones do not', async () => {
    for (const key of [oldKeys.signed, oldKeys.admin, `${oldKeys.admin}#1`]) {
      const { status, text } = await chat(hub(), `sk-${key}`);
      expect({ key, status, text }).toMatchObject({ status: 200 });
    }
    expect((await chat(hub(), `sk-${oldKeys.deleted}`)).status).toBe(401);
    expect((await chat(hub(), `sk-${oldKeys.orphan}`)).status).toBe(401);
    expect((await chat(hub(), `sk-${oldKeys.plain}`)).status, 'vip is private').toBe(403);
    expect(upstream().requests.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer sk-upstream-1',
      'x-team': 'secret-header',
    });
    await expectBooksToBalance();
  });

  test('more spent there than is left here ends at zero, with a correction', async () => {
    const later = path.join(path.dirname(file), 'spent.db');
    const tables = oneHub(upstream().url);
    tables[0]!.rows[1]!['quota'] = -50_000_000;
    writeOldSqlite(later, tables);
    const report = await importFrom(later);
    expect((await user('alice'))!.quota).toBe(0);
    expect(report.remarks.get('below_zero')?.count).toBe(1);
    await expectBooksToBalance();
  });

  test('brings the calls of the log once, with their hourly sums, also after an interruption', async () => {
    const { db } = hub().server.deps;
    const at = 1_700_000_000;
    const call = (id: number) => ({
      id,
      user_id: id % 100 === 0 ? 99 : 2,
      created_at: at + id * 10,
      type: id % 50 === 1 ? 1 : 2,
      content: '',
      username: 'alice',
      token_name: 'alice',
      model_name: id % 2 === 0 ? 'gpt-4o' : 'gpt-4o-mini',
      quota: 7,
      prompt_tokens: 10,
      completion_tokens: 5,
      channel_id: id % 3 === 0 ? 77 : 1,
      request_time: 1200,
      is_stream: id % 2 === 0,
    });
    const columns = {
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
    } as const;
    const withCalls = (name: string, count: number): string => {
      const old = path.join(path.dirname(file), name);
      const rows = Array.from({ length: count }, (_, i) => call(i + 1));
      writeOldSqlite(old, [...oneHub(upstream().url), { name: 'logs', columns, rows }]);
      return old;
    };
    const imported = async () => {
      const rows = await db
        .selectFrom('logs')
        .where('request_id', 'like', 'import-%')
        .selectAll()
        .orderBy('id')
        .execute();
      const { calls, credits } = await db
        .selectFrom('usage_by_user')
        .where('hour', '<', at + 100_000)
        .select(({ fn }) => [fn.sum<number>('request_count').as('calls'), fn.sum<number>('quota').as('credits')])
        .executeTakeFirstOrThrow();
      return { rows, calls, credits };
    };
    const expected = (count: number) => {
      const calls = Array.from({ length: count }, (_, i) => call(i + 1)).filter(
        ({ type, user_id: of }) => type === 2 && of === 2,
      ).length;
      return { rows: calls, calls, credits: calls * 7 };
    };
    const sizes = async () => ({ ...(await imported()), rows: (await imported()).rows.length });

    const first = withCalls('calls.db', 1100);
    const broken = importFrom(first, {
      logs: true,
      progress: (kind) => {
        if (kind === 'log') throw new Error('the power went out');
      },
    });
    await expect(broken).rejects.toThrow('the power went out');
    expect((await sizes()).rows).toBe(500);
    await expectBooksToBalance();
    expect((await importFrom(first, { logs: true })).counts.get('log')).toMatchObject({
      added: expected(1100).rows - 500,
    });
    expect(await sizes()).toEqual(expected(1100));
    expect((await importFrom(first, { logs: true })).counts.get('log')).toMatchObject({ added: 0 });
    const more = withCalls('more-calls.db', 1102);
    expect((await importFrom(more, { logs: true, apply: false })).counts.get('log')).toMatchObject({ added: 1 });
    await importFrom(more, { logs: true });
    expect(await sizes()).toEqual(expected(1102));

    const [row] = (await imported()).rows;
    const token = await db.selectFrom('tokens').where('name', '=', 'alice').select('id').executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      request_id: 'import-one-hub-2',
      created_at: at + 20,
      token_id: token.id,
      model_name: 'gpt-4o',
      quota: 7,
      request_time: 1200,
      is_stream: true,
      failed: false,
    });
    expect(row!.channel_id).toBeGreaterThan(0);
    await expectBooksToBalance();
  });

  describe('charges', () => {
    /** One-hub 0.14.8: rounds the weighted counts down and the sum up. */
    const charge = (
      { input, output }: { input: number; output: number },
      group: number,
      call: Partial<Usage>,
    ): number => {
      const {
        input: plain = 0,
        cached = 0,
        inputAudio = 0,
        cacheRead = 0,
        cacheWrite = 0,
        output: said = 0,
        outputAudio = 0,
      } = call;
      const prompt =
        plain +
        cached +
        inputAudio -
        Math.trunc(cached * 0.5) +
        Math.trunc(inputAudio * 39) +
        Math.trunc(cacheWrite * 1.25) +
        Math.trunc(cacheRead * 0.1);
      return Math.ceil(prompt * input * group + (said + outputAudio + Math.trunc(outputAudio * 39)) * output * group);
    };

    test.each<[string, number, Partial<Usage>]>([
      ['gpt-4o', 1, { input: 1000, output: 500 }],
      ['gpt-4o', 1, { input: 600, cached: 400, output: 500 }],
      ['gpt-4o', 0.8, { input: 7, output: 3 }],
      ['gpt-4o', 1, { input: 10, inputAudio: 50, output: 5, outputAudio: 20 }],
      ['gpt-4o-mini', 1, { input: 100, output: 20 }],
      ['gpt-4o-mini', 0.8, { input: 100, cacheRead: 1000, cacheWrite: 400, output: 20 }],
    ])('%s × %d, %o cost what they cost there', async (model, group, call) => {
      const price = hub().server.deps.live.prices.find(model)!;
      const there = { 'gpt-4o': { input: 2.5, output: 7.5 }, 'gpt-4o-mini': { input: 0.075, output: 0.3 } }[model]!;
      const extras: ExtraRatios = price.extra_ratios ?? {};
      const here = creditsFor(ratesOf({ ...price, extra_ratios: extras }, group), { ...noUsage, ...call });
      expect(here).toBe(charge(there, group, call));
    });
  });

  test('sound costs what the old program has compiled in for its model', () => {
    const price = hub().server.deps.live.prices.find('gpt-4o-audio-preview-2024-12-17')!;
    expect(creditsFor(price.ratesFor(1), { ...noUsage, inputAudio: 100, outputAudio: 50 })).toBe(
      100 * 16 * 1.25 + 50 * 8 * 5,
    );
  });

  async function expectBooksToBalance(): Promise<void> {
    const { storage, db, config } = hub().server.deps;
    await caughtUp(db);
    const report = await checkBooks(storage, journalFolder(config.dataDir));
    expect(report.checks.filter(({ differing }) => differing > 0)).toEqual([]);
  }
});
