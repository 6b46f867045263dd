import path from 'node:path';
import { creditsFor, type ExtraRatios, noUsage, ratesOf, redemptionApi, type Usage } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkBooks } from '#features/books/check-books.ts';
import { journalFolder } from '#quota/journal.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat } from '#testing/chat.ts';
import { emptySqlite, onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { writeOldSqlite } from '#testing/old-databases/old-table.ts';
import { OLD_PASSWORD, oldKeys, oneHub } from '#testing/old-databases/old-worlds.ts';
import { runImport } from './run-import.ts';
import { openSource } from './sources/open-source.ts';

onEveryDatabase('an import from one-hub', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let file: string;

  const importFrom = async (from: string, more: { apply?: boolean; final?: boolean } = {}) => {
    const { db, secrets, now } = hub().server.deps;
    const database = await openSource(from);
    try {
      const options = { source: '', apply: true, final: false, accessTokens: false, ...more };
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
      price: { changed: 2, same: 1 },
      code: { added: 2 },
    });
    expect(report.remarks.get('merged')?.examples).toEqual(['root']);
    expect(report.remarks.get('group_forbidden')?.examples).toEqual(['token 3 (old): vip']);
    expect(report.remarks.get('negative')?.examples).toEqual([
      'carol-with-a-long-name: -179 credits',
      'token 4 (spent): -179 credits',
    ]);
    expect(report.remarks.get('unpriced')?.examples).toEqual(['legacy-model (channel 1)']);
    expect(report.lines().join('\n')).not.toMatch(/smtp-secret|sk-upstream|secret-header|0123456789/);
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
      price: { same: 3 },
    });
    expect(await db.selectFrom('ledger').selectAll().execute()).toEqual(before);
  });

  test('a later run posts differences, leaves what changed on both sides, and opens', async () => {
    const { db } = hub().server.deps;
    const spent = (await user('alice'))!.quota;
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
    const remaining = (
      await db.selectFrom('tokens').where('name', '=', 'alice').select('remain_quota').executeTakeFirstOrThrow()
    ).remain_quota;

    const report = await importFrom(later, { final: true });
    expect((await user('alice'))!.quota).toBe(spent - 6_000);
    expect(await user('trusted')).toMatchObject({ display_name: 'Changed here' });
    expect(report.remarks.get('left')?.examples).toEqual(['user trusted']);
    expect(report.remarks.get('gone')?.examples).toEqual(['token 4 (spent)']);
    const token = await db
      .selectFrom('tokens')
      .where('name', '=', 'alice')
      .select('remain_quota')
      .executeTakeFirstOrThrow();
    expect(token.remain_quota).toBe(remaining - 6_000);
    const { body } = await hub().root.try(redemptionApi.redeem, { body: { key: '0123456789abcdef0123456789abcde1' } });
    expect(body).toMatchObject({ code: 'redemption.redeemed' });
    await expectBooksToBalance();
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
    tables[0]!.rows[1]!['quota'] = -50_000;
    writeOldSqlite(later, tables);
    const report = await importFrom(later);
    expect((await user('alice'))!.quota).toBe(0);
    expect(report.remarks.get('below_zero')?.count).toBe(1);
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

  async function expectBooksToBalance(): Promise<void> {
    const { storage, db, config } = hub().server.deps;
    await caughtUp(db);
    const report = await checkBooks(storage, journalFolder(config.dataDir));
    expect(report.checks.filter(({ differing }) => differing > 0)).toEqual([]);
  }
});
