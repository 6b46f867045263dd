import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Db } from '#db/tables.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import type { LogTableRow } from '#testing/log-rows.ts';
import { addAccount } from '#testing/people.ts';
import { sealChangedDays, sealDays } from './seal-days.ts';
import { dayStart, monthEnd, monthStart } from './local-days.ts';
import { usageBlocks } from './usage-blocks.ts';
import { usageByGroup, usersRanked } from './usage-by-group.ts';
import type { UsageScope } from './usage-scope.ts';
import { addUsage, hourOf, noUsage } from './usage-scope.ts';

const DAY_S = 86_400;
const DAYS = 12;
const now = Math.floor(Date.now() / 1000);
const first = hourOf(now) - DAYS * DAY_S;

onEveryDatabase('days that are summed up', (make) => {
  const hub = hubForSuite(make);
  let db: Db;
  let rows: LogTableRow[];
  let users: number[];

  beforeAll(async () => {
    db = hub().server.deps.db;
    users = [(await addAccount(hub())).id, (await addAccount(hub())).id];
    rows = Array.from({ length: 3000 }, (_, n) =>
      logRow({
        request_id: `r${n}`,
        user_id: users[n % 3 === 0 ? 1 : 0]!,
        created_at: first + Math.floor((n / 3000) * DAYS * DAY_S),
        model_name: ['gpt-4o', 'gpt-4o-mini', 'o3'][n % 3]!,
        channel_id: 1 + (n % 5),
        quota: n,
        prompt_tokens: n * 2,
        cached_tokens: n % 7,
        request_time: n % 1000,
        failed: n % 10 === 0,
      }),
    );
    await insertLogs(hub().server.deps.db, rows);
  });

  const sumOf = (calls: LogTableRow[]) => ({
    request_count: calls.length,
    failed_count: calls.filter(({ failed }) => failed).length,
    quota: calls.reduce((sum, { quota }) => sum + quota, 0),
  });

  async function expectSums(scope: UsageScope, from: number, until: number): Promise<void> {
    const blocks = await usageBlocks(db, scope, from, until);
    const calls = rows.filter(
      (row) =>
        row.created_at >= from &&
        row.created_at < until &&
        (scope.userId === undefined || row.user_id === scope.userId) &&
        (scope.channelId === undefined || row.channel_id === scope.channelId) &&
        (scope.model === undefined ||
          (scope.model.endsWith('*')
            ? row.model_name.startsWith(scope.model.slice(0, -1))
            : row.model_name === scope.model)),
    );
    expect(blocks.reduce((sum, block) => addUsage(sum, block), noUsage)).toMatchObject(sumOf(calls));
    for (const { start, end, ...sums } of blocks)
      expect(sums).toMatchObject(sumOf(calls.filter(({ created_at: at }) => at >= start && at < end)));
  }

  const anyScope = fc
    .record(
      {
        userId: fc.nat(1),
        channelId: fc.nat(5),
        model: fc.constantFrom('gpt-4o', 'gpt-4o*', 'o3', 'GPT*', 'gpt_4o*'),
      },
      { requiredKeys: [] },
    )
    .filter(({ userId, channelId }) => userId === undefined || channelId === undefined);
  const anyHour = fc.integer({ min: -5, max: DAYS * 24 + 5 }).map((hour) => first + hour * 3600);

  const expectAllSums = () =>
    fc.assert(
      fc.asyncProperty(anyScope, anyHour, anyHour, ({ userId, ...scope }, from, until) =>
        expectSums({ ...scope, userId: userId === undefined ? undefined : users[userId] }, from, until),
      ),
      { numRuns: 60 },
    );

  test('without sealed days, usage is read from the hours', async () => {
    await expectAllSums();
  });

  test('sealed days return the same sums as their hours', async () => {
    const { db: open } = hub().server.deps;
    const counts = await Promise.all([sealDays(open, now), sealDays(open, now)]);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(DAYS - 3);
    expect(await sealDays(open, now)).toBe(0);
    const { sealed } = await db
      .selectFrom('usage_days')
      .select(({ fn }) => fn.max('day_end').as('sealed'))
      .executeTakeFirstOrThrow();
    expect(sealed).toBeLessThanOrEqual(now - 2 * DAY_S);
    await expectAllSums();
    await expectSums({}, 0, now * 2);
  });

  test('a late call appears in the hours first, and in the day after it is sealed again', async () => {
    const { db: open } = hub().server.deps;
    const late = { user_id: users[1]!, created_at: first + 3 * DAY_S, channel_id: 4, model_name: 'o3' };
    rows.push(...[1, 2, 3].map((n) => logRow({ ...late, request_id: `late${n}`, quota: 1_000_000 })));
    await insertLogs(open, rows.slice(-3));
    expect(await sealChangedDays(open)).toBe(1);
    expect(await sealChangedDays(open)).toBe(0);
    await expectAllSums();
  });

  test('whole months give the same sums of users as their days, also after a late call', async () => {
    const { db: open } = hub().server.deps;
    const start = monthStart(dayStart(hourOf(now) - 80 * DAY_S));
    const [end, until] = [monthEnd(start), start + 45 * DAY_S];
    const of = (day: number, n: number) =>
      logRow({
        request_id: `month${day}-${n}`,
        user_id: users[n % 2]!,
        created_at: start + day * DAY_S + 7200 + n,
        channel_id: 1,
        quota: 3 + n * day,
      });
    const calls = Array.from({ length: 40 }, (_, day) => [of(day, 0), of(day, 1), of(day, 2)]).flat();
    const insert = async (more: LogTableRow[]) => {
      rows.push(...more);
      await insertLogs(open, more);
    };
    const expectUsers = async () => {
      const { byCost, byCount } = await usersRanked(db, { from: start, until });
      const found = await usageByGroup(db, { by: 'user', users: byCost, from: start, until });
      const points = [
        { start, end: start + 20 * DAY_S },
        { start: start + 20 * DAY_S, end: until },
      ];
      const inPoints = await usageByGroup(db, { by: 'user', users: byCost, from: start, until, points });
      for (const [id, userId] of users.entries()) {
        const own = rows.filter((row) => row.user_id === userId && row.created_at >= start && row.created_at < until);
        const sum = (parts: typeof found) =>
          parts.filter(({ key }) => key === String(userId)).reduce((sums, part) => addUsage(sums, part), noUsage);
        expect([id, sum(found)]).toMatchObject([id, sumOf(own)]);
        expect([id, sum(inPoints)]).toMatchObject([id, sumOf(own)]);
      }
      const costs = users.toSorted((a, b) => cost(b) - cost(a));
      expect([byCost, byCount.length]).toEqual([costs, 2]);
    };
    const cost = (userId: number) =>
      rows
        .filter((row) => row.user_id === userId && row.created_at >= start && row.created_at < until)
        .reduce((sum, { quota }) => sum + quota, 0);
    const months = () => db.selectFrom('usage_months').selectAll().execute();
    await insert(calls);
    await expectUsers();
    await Promise.all([sealDays(open, now), sealDays(open, now)]);
    expect(await months()).toContainEqual({ month_start: start, month_end: end });
    await expectUsers();
    // The other user is first from now on.
    await insert([{ ...of(5, 3), quota: 1_000_000, user_id: users.toSorted((a, b) => cost(a) - cost(b))[0]! }]);
    expect(await sealChangedDays(open)).toBe(1);
    expect(await months()).not.toContainEqual({ month_start: start, month_end: end });
    await expectUsers();
    await sealDays(open, now);
    expect(await months()).toContainEqual({ month_start: start, month_end: end });
    await expectUsers();
  });

  test('a missing day is read from its hours until it is sealed again', async () => {
    const { db: open } = hub().server.deps;
    const days = await db.selectFrom('usage_days').select('day_start').orderBy('day_start').execute();
    const gone = days[4]!.day_start;
    await open.deleteFrom('usage_days').where('day_start', '=', gone).execute();
    await expectAllSums();
    expect(await sealDays(open, now)).toBe(1);
    await expectAllSums();
  });
});
