import type { UsageGrouping } from '@relay-hub/contract';
import { role, usageGroupings, usageSteps, userStatus } from '@relay-hub/contract';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { PriceBook } from '#live/price-book.ts';
import { sealDays } from '#roll-ups/seal-days.ts';
import { databaseForSuite, timeZoneForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import type { LogTableRow } from '#testing/log-rows.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { usageCsv, usageRows } from './analytics-csv.ts';
import { periodOf } from './analytics-period.ts';
import { scopeOf } from './usage-question.ts';
import { usageReport } from './usage-report.ts';

const DAYS = 40;
const USERS = 70;
// Summer time ends in this period, so one day has 25 hours.
const now = Date.parse('2026-11-14T09:20:00Z') / 1000;
const since = now - DAYS * 86_400;
const models = ['gpt-4o', 'gpt-4o-mini', 'o3', 'claude-x', 'Gpt-4o', 'qwen/qwen3', 'a,b', '模型'];
const price = { type: 'tokens' as const, input: 1, output: 1, extra_ratios: {} };
const live = {
  prices: new PriceBook(
    models.slice(0, 5).map((model, n) => ({ ...price, model, version: n + 1, channel_type: n % 3 })),
    undefined,
  ),
  owners: new Map([[1, 'OpenAI']]),
};

onEveryDatabase('usage, told apart', (make) => {
  timeZoneForSuite('Europe/Berlin');
  const db = databaseForSuite(make);
  let rows: LogTableRow[];

  beforeAll(async () => {
    const account = { password_hash: '', role: role.user, status: userStatus.enabled, created_time: 0 };
    const users = Array.from({ length: USERS }, (_, n) => ({
      ...account,
      id: n + 1,
      username: `user-${n + 1}`,
      group: ['default', 'vip', 'svip'][n % 3]!,
    }));
    await db().insertInto('users').values(users).execute();
    rows = Array.from({ length: 6000 }, (_, n) => {
      const luck = (n * 48_271) % 2_147_483_647;
      return logRow({
        request_id: `r${n}`,
        user_id: 1 + (luck % USERS),
        channel_id: 1 + (luck % 11),
        model_name: models[luck % 8]!,
        created_at: since + Math.floor((n / 6000) * (now - since)),
        quota: luck % 997,
        failed: luck % 9 === 0,
        prompt_tokens: luck % 31,
        completion_tokens: luck % 17,
        request_time: luck % 5000,
      });
    });
    await insertLogs(db(), rows);
    await sealDays(db(), now);
  });

  const days = fc.nat({ max: DAYS - 1 });
  const asked = fc.record({
    by: fc.constantFrom(...usageGroupings),
    step: fc.constantFrom(...usageSteps),
    first: days,
    length: fc.nat({ max: 6 }),
    whose: fc.constantFrom('', 'user', 'channel'),
    id: fc.integer({ min: 1, max: 10 }),
  });

  test('adds up to the rows, at every point and in every grouping', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ by, step, first, length, whose, id }) => {
        const date = (ago: number) => new Date((now - ago * 86_400) * 1000).toISOString().slice(0, 10);
        const period = periodOf({ days: 1, from: date(first), to: date(Math.max(0, first - length)), step }, now);
        const asksWhose = by === 'model' || by === 'owner' ? whose : '';
        const query = {
          username: '',
          user_id: asksWhose === 'user' ? id : 0,
          channel_id: asksWhose === 'channel' ? id : 0,
        };
        const scope = await scopeOf(db(), query, by);
        const report = await usageReport({ db: db(), live }, { by, scope, period });

        const called = rows.filter(
          (row) =>
            row.created_at >= period.from &&
            row.created_at < period.until &&
            (query.user_id === 0 || row.user_id === query.user_id) &&
            (query.channel_id === 0 || row.channel_id === query.channel_id),
        );
        const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
        expect([report.total.requests, report.total.quota]).toEqual([
          called.length,
          sum(called.map(({ quota }) => quota)),
        ]);
        expect(report.total.series.quota).toEqual(
          period.points.map(({ start, end }) =>
            sum(called.filter((row) => row.created_at >= start && row.created_at < end).map(({ quota }) => quota)),
          ),
        );
        const keys = new Set(called.map((row) => keyOf(row, by)));
        expect(report.group_count).toBe(keys.size);
        expect(report.groups).toHaveLength(Math.min(10, keys.size));
        for (const [rank, group] of report.groups.entries()) {
          const own = called.filter((row) => keyOf(row, by) === group.id);
          expect([group.requests, group.quota]).toEqual([own.length, sum(own.map(({ quota }) => quota))]);
          expect(group.quota).toBeLessThanOrEqual(report.groups[rank - 1]?.quota ?? Infinity);
          expect(group.series === null).toBe(rank >= 6);
          for (const name of ['requests', 'failures', 'quota', 'request_time'] as const)
            if (group.series) expect(sum(group.series[name])).toBe(group[name]);
          if (group.series) expect(sum(group.series.tokens)).toBe(group.prompt_tokens + group.completion_tokens);
        }
        let exported = 0;
        for await (const row of usageRows({ db: db(), live }, { by, scope, period })) {
          expect(keys).toContain(row.id);
          exported += row.sums.quota;
        }
        expect(exported).toBe(report.total.quota);
      }),
      { numRuns: 60, seed: 20_261_114 },
    );
  });

  function keyOf(row: LogTableRow, by: UsageGrouping): string {
    if (by === 'model') return row.model_name;
    if (by === 'channel') return String(row.channel_id);
    if (by === 'user') return String(row.user_id);
    if (by === 'user_group') return ['default', 'vip', 'svip'][(row.user_id - 1) % 3]!;
    const place = models.indexOf(row.model_name);
    return String(place < 5 ? place % 3 : 0);
  }
});

test('an export names the time zone once, and a model once', () => {
  const headings = (by: UsageGrouping) => usageCsv('en_US', by, 'Europe/Berlin').map(({ heading }) => heading);
  expect(headings('model').slice(0, 3)).toEqual(['Time (Europe/Berlin)', 'Model', 'Requests']);
  expect(headings('user').slice(0, 3)).toEqual(['Time (Europe/Berlin)', 'ID', 'User']);
});
