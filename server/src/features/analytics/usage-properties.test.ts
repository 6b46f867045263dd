import type { UsageGrouping } from '@relay-hub/contract';
import { role, tokenGroupings, usageGroupings, usageSteps, userStatus } from '@relay-hub/contract';
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
import { qualityReport } from './quality-report.ts';
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
        token_id: 1 + (luck % 5),
        ...(luck % 3 === 0 && { is_stream: true, metadata: JSON.stringify({ first_response: luck % 700 }) }),
      });
    });
    const token = { user_id: 1, name: '', key_cipher: '', key_hint: '', status: 1, created_time: 0, expired_time: -1 };
    for (let id = 1; id <= 5; id++)
      await db()
        .insertInto('tokens')
        .values({
          ...token,
          id,
          key_hash: `hash-${id}`,
          remain_quota: 0,
          unlimited_quota: true,
          group: '',
          enable_cache: false,
          tag: tagOf(id),
          member_id: memberOf(id) || null,
        })
        .execute();
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
    top: fc.integer({ min: 1, max: 12 }),
  });

  test('adds up to the rows, at every point and in every grouping', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ by, step, first, length, whose, id, top }) => {
        const date = (ago: number) => new Date((now - ago * 86_400) * 1000).toISOString().slice(0, 10);
        const period = periodOf({ days: 1, from: date(first), to: date(Math.max(0, first - length)), step }, now);
        const asksWhose = tokenGroupings.includes(by) ? 'user' : by === 'model' || by === 'owner' ? whose : '';
        const query = {
          username: '',
          user_id: asksWhose === 'user' ? id : 0,
          channel_id: asksWhose === 'channel' ? id : 0,
        };
        const scope = await scopeOf(db(), query, by);
        const report = await usageReport({ db: db(), live }, { by, scope, period, top });

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
        expect(report.groups.length).toBeGreaterThanOrEqual(Math.min(10, keys.size));
        const leads = (measure: (row: LogTableRow) => number) => {
          const sums = new Map<string, number>();
          for (const row of called) sums.set(keyOf(row, by), (sums.get(keyOf(row, by)) ?? 0) + measure(row));
          return [...sums.values()]
            .filter((value) => value > 0)
            .toSorted((a, b) => b - a)
            .slice(0, top);
        };
        const drawn = report.groups.filter(({ series }) => series !== null);
        const largest = (measure: (group: (typeof drawn)[number]) => number) =>
          drawn
            .map(measure)
            .toSorted((a, b) => b - a)
            .slice(0, top)
            .filter((value) => value > 0);
        expect(largest(({ quota }) => quota)).toEqual(leads(({ quota }) => quota));
        expect(largest(({ requests }) => requests)).toEqual(leads(() => 1));
        expect(largest((group) => group.prompt_tokens + group.completion_tokens)).toEqual(
          leads((row) => row.prompt_tokens + row.completion_tokens),
        );
        for (const [rank, group] of report.groups.entries()) {
          const own = called.filter((row) => keyOf(row, by) === group.id);
          expect([group.requests, group.quota]).toEqual([own.length, sum(own.map(({ quota }) => quota))]);
          expect(group.quota).toBeLessThanOrEqual(report.groups[rank - 1]?.quota ?? Infinity);
          if (rank < top && group.quota > 0) expect(group.series).not.toBeNull();
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

  test('p50 and p95 are close to those of the rows, at every point and in every grouping', async () => {
    /** The true value, and what the bounds of a bucket allow. */
    const expectNear = (found: number | null, times: number[], share: number) => {
      const sorted = times.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1];
      if (exact === undefined) return expect(found).toBeNull();
      expect(Math.abs((found ?? NaN) - exact)).toBeLessThanOrEqual(exact < 10 ? 10 : exact * 0.24);
    };
    await fc.assert(
      fc.asyncProperty(asked, async ({ by, step, first, length, whose, id, top }) => {
        const date = (ago: number) => new Date((now - ago * 86_400) * 1000).toISOString().slice(0, 10);
        const period = periodOf({ days: 1, from: date(first), to: date(Math.max(0, first - length)), step }, now);
        const isOfUser = tokenGroupings.includes(by) || (whose === 'user' && (by === 'model' || by === 'owner'));
        const scope = isOfUser ? { userId: id } : {};
        const report = await qualityReport({ db: db(), live }, { by, scope, period, top });
        const called = rows.filter(
          (row) => row.created_at >= period.from && row.created_at < period.until && (!isOfUser || row.user_id === id),
        );
        const well = called.filter((row) => !row.failed && row.request_time > 0);
        const streams = well.filter(({ metadata }) => metadata);
        const times = (some: LogTableRow[]) => some.map((row) => row.request_time);
        const firsts = (some: LogTableRow[]) =>
          some.map(({ metadata }) => (JSON.parse(metadata ?? '') as { first_response: number }).first_response);
        expect([report.duration.calls, report.first_token.calls]).toEqual([well.length, streams.length]);
        expectNear(report.duration.p95, times(well), 0.95);
        expectNear(report.first_token.p50, firsts(streams), 0.5);
        for (const [at, { start, end }] of period.points.entries()) {
          const within = well.filter((row) => row.created_at >= start && row.created_at < end);
          expectNear(report.duration.series.p50[at] ?? null, times(within), 0.5);
          expectNear(report.duration.series.p95[at] ?? null, times(within), 0.95);
        }
        for (const group of report.groups) {
          const own = called.filter((row) => keyOf(row, by) === group.id);
          expect([group.requests, group.failures]).toEqual([own.length, own.filter(({ failed }) => failed).length]);
          expectNear(group.duration.p50, times(own.filter((row) => well.includes(row))), 0.5);
          expectNear(group.first_token.p95, firsts(own.filter((row) => streams.includes(row))), 0.95);
        }
        const failed = report.failures.reduce((sum, { calls }) => sum + calls, 0);
        expect(failed).toBe(called.filter((row) => row.failed).length);
      }),
      { numRuns: 40, seed: 20_261_126 },
    );
  });

  function keyOf(row: LogTableRow, by: UsageGrouping): string {
    if (by === 'model') return row.model_name;
    if (by === 'channel') return String(row.channel_id);
    if (by === 'user') return String(row.user_id);
    if (by === 'token') return String(row.token_id);
    if (by === 'tag') return tagOf(row.token_id);
    if (by === 'member') return String(memberOf(row.token_id));
    if (by === 'user_group') return ['default', 'vip', 'svip'][(row.user_id - 1) % 3]!;
    const place = models.indexOf(row.model_name);
    return String(place < 5 ? place % 3 : 0);
  }
});

const tagOf = (token: number): string => ['', 'here', 'there'][token % 3]!;
const memberOf = (token: number): number => [0, 7][token % 2]!;

test('an export names the time zone once, and a model once', () => {
  const headings = (by: UsageGrouping) =>
    usageCsv('en_US', by, 'Europe/Berlin', 'administrator').map(({ heading }) => heading);
  expect(headings('model').slice(0, 3)).toEqual(['Time (Europe/Berlin)', 'Model', 'Requests']);
  expect(headings('user').slice(0, 3)).toEqual(['Time (Europe/Berlin)', 'ID', 'User']);
});
