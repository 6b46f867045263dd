import type { UsageGrouping, UsageReport } from '@relay-hub/contract';
import { role, tokenGroupings, usageGroupings, userStatus } from '@relay-hub/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { PriceBook } from '#live/price-book.ts';
import { dayTables, sealDays } from '#roll-ups/seal-days.ts';
import { databaseForSuite, timeZoneForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { periodOf } from './analytics-period.ts';
import { scopeOf } from './usage-question.ts';
import { usageReport } from './usage-report.ts';

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;
const now = utc('2026-11-20T06:30:00');

const terms = { type: 'tokens' as const, input: 1, output: 1, extra_ratios: {}, channel_type: 1 };
const live = {
  prices: new PriceBook([{ ...terms, model: 'gpt-4o*', version: 1 }], { input: 30, output: 30 }),
  owners: new Map([[1, 'OpenAI']]),
};

const [alice, bob, carol] = [101, 102, 103] as const;

/** Shanghai is eight hours ahead, so its 20th begins at 16:00 of the 19th. */
const calls = [
  [alice, 1, 'gpt-4o', '2026-11-19T02:00:00', 100, 10, 5, 200],
  [bob, 2, 'gpt-4o-mini', '2026-11-19T15:59:59', 30, 7, 1, 100, 'failed'],
  [alice, 1, 'claude-x', '2026-11-19T16:00:00', 50, 20, 20, 1000],
  // In the current hour, which is not compared.
  [carol, 2, 'gpt-4o', '2026-11-20T06:10:00', 7, 1, 1, 50],
  // In the preceding two days: one in range, one in the unfinished hour, one too early.
  [bob, 3, 'gpt-4o', '2026-11-17T01:00:00', 40, 4, 4, 40],
  [bob, 3, 'gpt-4o', '2026-11-18T06:00:00', 500, 5, 5, 50],
  [bob, 3, 'gpt-4o', '2026-11-16T15:59:59', 9999, 9, 9, 90],
] as const;

onEveryDatabase('the usage of a period', (make) => {
  timeZoneForSuite('Asia/Shanghai');
  const db = databaseForSuite(make);

  async function report(by: UsageGrouping, whose: Partial<Parameters<typeof scopeOf>[1]> = {}): Promise<UsageReport> {
    const scope = await scopeOf(db(), { user_id: 0, username: '', channel_id: 0, ...whose }, by);
    const period = periodOf({ days: 2, from: '', to: '', step: 'day' }, now);
    return usageReport({ db: db(), live }, { by, scope, period, top: 6 });
  }
  const groupsOf = async (...asked: Parameters<typeof report>) =>
    (await report(...asked)).groups.map(({ id, name, quota, requests, series }) => [
      id,
      name,
      quota,
      requests,
      series?.quota,
    ]);

  beforeAll(async () => {
    const account = { password_hash: '', role: role.user, status: userStatus.enabled, created_time: 0 };
    await db()
      .insertInto('users')
      .values([
        { ...account, id: alice, username: 'Alice', group: 'default' },
        { ...account, id: bob, username: 'bob', group: 'vip' },
        { ...account, id: carol, username: 'carol', group: 'vip' },
      ])
      .execute();
    await db()
      .insertInto('user_groups')
      .values({ symbol: 'vip', name: 'Friends', ratio: 1, api_rate: 600, public: true, enable: true })
      .execute();
    await insertLogs(
      db(),
      calls.map(([user_id, channel_id, model_name, time, quota, prompt_tokens, completion_tokens, ms, failed], n) =>
        logRow({
          request_id: `r${n}`,
          user_id,
          channel_id,
          model_name,
          created_at: utc(time),
          quota,
          prompt_tokens,
          completion_tokens,
          request_time: ms,
          failed: failed === 'failed',
        }),
      ),
    );
  });

  describe.each(['by the hour', 'by sums of days', 'by sums of days that were cut in another zone'])(
    'read %s',
    (how) => {
      beforeAll(async () => {
        if (how === 'by the hour') return;
        for (const table of dayTables) await db().deleteFrom(table).execute();
        process.env['TZ'] = how === 'by sums of days' ? 'Asia/Shanghai' : 'UTC';
        expect(await sealDays(db(), now + 5 * 86_400)).toBeGreaterThanOrEqual(5);
        process.env['TZ'] = 'Asia/Shanghai';
      });

      test('adds up to what was called', async () => {
        const { points, total, group_count: count } = await report('model');
        expect(points.map(({ date }) => date)).toEqual(['2026-11-19', '2026-11-20']);
        expect(total).toMatchObject({
          requests: 4,
          failures: 1,
          quota: 187,
          prompt_tokens: 38,
          completion_tokens: 27,
          cached_tokens: 0,
          request_time: 1350,
          series: {
            requests: [2, 2],
            failures: [1, 0],
            quota: [130, 57],
            tokens: [23, 42],
            request_time: [300, 1050],
          },
        });
        expect(count).toBe(3);
      });

      test('is grouped by model, the most expensive first', async () => {
        expect(await groupsOf('model')).toEqual([
          ['gpt-4o', 'gpt-4o', 107, 2, [100, 7]],
          ['claude-x', 'claude-x', 50, 1, [0, 50]],
          ['gpt-4o-mini', 'gpt-4o-mini', 30, 1, [30, 0]],
        ]);
      });

      test('is grouped by model owner, even if one price covers many models', async () => {
        expect(await groupsOf('owner')).toEqual([
          ['1', 'OpenAI', 137, 3, [130, 7]],
          ['0', '', 50, 1, [0, 50]],
        ]);
      });

      test('is grouped by channel, user and the users’ group', async () => {
        expect(await groupsOf('channel')).toEqual([
          ['1', '', 150, 2, [100, 50]],
          ['2', '', 37, 2, [30, 7]],
        ]);
        expect(await groupsOf('user')).toEqual([
          [String(alice), 'Alice', 150, 2, [100, 50]],
          [String(bob), 'bob', 30, 1, [30, 0]],
          [String(carol), 'carol', 7, 1, [0, 7]],
        ]);
        expect(await groupsOf('user_group')).toEqual([
          ['default', '', 150, 2, [100, 50]],
          ['vip', 'Friends', 37, 2, [30, 7]],
        ]);
      });

      test('is compared with the same hours of the days before', async () => {
        const { until, now: recent, before } = (await report('user')).compared;
        expect(until).toBe(utc('2026-11-20T06:00:00'));
        expect([recent.quota, recent.requests]).toEqual([180, 3]);
        expect([before.quota, before.requests]).toEqual([40, 1]);
      });

      test('can be that of one user or one channel', async () => {
        expect(await groupsOf('model', { username: 'alice' })).toEqual([
          ['gpt-4o', 'gpt-4o', 100, 1, [100, 0]],
          ['claude-x', 'claude-x', 50, 1, [0, 50]],
        ]);
        expect(await groupsOf('owner', { channel_id: 2 })).toEqual([['1', 'OpenAI', 37, 2, [30, 7]]]);
        const { compared, total } = await report('model', { user_id: bob });
        expect([total.quota, compared.now.quota, compared.before.quota]).toEqual([30, 30, 40]);
        expect(await groupsOf('model', { username: 'nobody' })).toEqual([]);
      });
    },
  );

  test.each<[UsageGrouping, Parameters<typeof report>[1]]>([
    ['channel', { user_id: alice }],
    ['user', { channel_id: 1 }],
    ['user_group', { username: 'alice' }],
    ['model', { user_id: alice, channel_id: 1 }],
  ])('what no roll-up knows is refused: by %s of %o', async (by, whose) => {
    await expect(report(by, whose)).rejects.toMatchObject({ code: 'analytics.grain' });
  });

  test('a call without a channel counts for its user, not in the total', async () => {
    const released = { user_id: carol, channel_id: 0, quota: 0, created_at: utc('2026-11-20T01:00:00'), failed: true };
    const rows = await db().selectFrom('logs').selectAll().execute();
    await db().deleteFrom('logs').execute();
    await insertLogs(db(), [
      ...rows.map((row) => ({ ...row, metadata: null })),
      logRow({ request_id: 'released', ...released }),
    ]);
    const byUser = await report('user');
    expect(byUser.total).toMatchObject({ requests: 4, failures: 1 });
    expect(byUser.groups.find(({ name }) => name === 'carol')).toMatchObject({ requests: 2, failures: 1 });
    expect((await report('channel')).groups.map(({ id }) => id)).toEqual(['1', '2']);
  });

  test('every grouping adds up to the same total', async () => {
    const ofAll = usageGroupings.filter((by) => !tokenGroupings.includes(by));
    const totals = await Promise.all(ofAll.map(async (by) => (await report(by)).total));
    for (const total of totals) expect(total).toEqual(totals[0]);
  });
});
