import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sealDays } from '#roll-ups/seal-days.ts';
import { speedOf, speedsSince } from '#roll-ups/speeds.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { up } from './0040-speeds-and-tokens.ts';
import { addCacheSums } from './0054-cache-affinity.ts';
import { addCosts } from './0078-cost-sums.ts';

const newTables = [
  'usage_by_token',
  'usage_days_by_token',
  'speeds_by_token',
  'speed_days_by_token',
  'speeds_by_channel',
  'speed_days_by_channel',
  'failures',
] as const;

onEveryDatabase('the update that begins to keep speeds and sums by token', (make) => {
  const db = databaseForSuite(make);

  test('takes over the rows of the log, and usage without rows counts for no token', async () => {
    const now = Math.floor(Date.now() / 1000);
    const at = now - 10 * 86_400;
    await db()
      .insertInto('users')
      .values({ id: 7, username: 'seven', password_hash: '', role: 1, status: 1, group: 'default', created_time: 0 })
      .execute();
    const rows = Array.from({ length: 400 }, (_, n) =>
      logRow({
        request_id: `r${n}`,
        user_id: 7,
        token_id: 1 + (n % 3),
        channel_id: 1 + (n % 2),
        created_at: at + n * 600,
        model_name: `model-${n % 2}`,
        request_time: (n * 37) % 90_000,
        failed: n % 10 === 0,
        is_stream: n % 4 === 0,
        metadata:
          n % 4 === 0
            ? JSON.stringify({ first_response: n * 3 })
            : n % 7 === 0
              ? JSON.stringify({ endpoint: '/v1/realtime' })
              : '{}',
      }),
    );
    await insertLogs(db(), rows);
    await sealDays(db(), now);
    const read = async () =>
      Promise.all(
        newTables.map(async (table) => {
          const { rows: found } = await sql<object>`select * from ${sql.table(table)}`.execute(db());
          return found
            .map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
            .toSorted();
        }),
      );
    const before = await read();
    for (const found of before) expect(found.length).toBeGreaterThan(0);
    const again = async () => {
      for (const table of newTables) await sql`drop table ${sql.table(table)}`.execute(db());
      await up(db().withTables<never>());
      for (const table of ['usage_by_token', 'usage_days_by_token']) {
        await addCacheSums(db().withTables<never>(), table);
        await addCosts(db().withTables<never>(), table);
      }
    };
    await again();
    expect(await read()).toEqual(before);

    // Old rows are gone: their usage remains in the sums of the user.
    await db()
      .deleteFrom('logs')
      .where('created_at', '<', at + 86_400)
      .execute();
    await again();
    const of = { scope: { userId: 7 }, from: at - (at % 3600), until: now };
    const sum = (found: { request_count: number }[]) => found.reduce((total, row) => total + row.request_count, 0);
    const byToken = await usageByGroup(db(), { by: 'token', ...of });
    expect(sum(byToken)).toBe(400);
    expect(sum(byToken.filter(({ key }) => key === '0'))).toBe(144);
    expect(await speedsSince(db())).toBe(at + 86_400 - ((at + 86_400) % 3600));
    const { duration } = await speedOf(db(), { userId: 7 }, of.from, of.until);
    expect(duration.calls).toBeLessThan(256);
    expect(duration.p50).toBeGreaterThan(0);
  });
});
