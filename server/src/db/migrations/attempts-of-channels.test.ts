import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { up } from './0021-attempts-of-channels.ts';

onEveryDatabase('the update that begins to count attempts', (make) => {
  const db = databaseForSuite(make);
  const again = async () => {
    await sql`drop table attempts_by_channel`.execute(db());
    await up(db() as unknown as Kysely<never>);
    return db().selectFrom('attempts_by_channel').selectAll().orderBy('channel_id').orderBy('kind').execute();
  };

  test('takes over the last day of the calls that there are, and marks where counting begins', async () => {
    expect(await again()).toEqual([]);
    const now = Math.floor(Date.now() / 1000);
    const hour = now - (now % 3600);
    const usage = { quota: 0, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, request_time: 0 };
    await db()
      .insertInto('usage_by_channel')
      .values([
        { ...usage, hour: hour - 3600, channel_id: 7, model_name: 'a', request_count: 5, failed_count: 2 },
        { ...usage, hour: hour - 3600, channel_id: 7, model_name: 'b', request_count: 1, failed_count: 0 },
        { ...usage, hour: hour - 3600, channel_id: 8, model_name: 'b', request_count: 3, failed_count: 3 },
        { ...usage, hour: hour - 24 * 3600, channel_id: 8, model_name: 'b', request_count: 9, failed_count: 0 },
      ])
      .execute();
    expect(await again()).toEqual([
      { hour: expect.any(Number), channel_id: 0, kind: 'other', attempts: 0 },
      { hour: hour - 3600, channel_id: 7, kind: 'ok', attempts: 4 },
      { hour: hour - 3600, channel_id: 7, kind: 'other', attempts: 2 },
      { hour: hour - 3600, channel_id: 8, kind: 'other', attempts: 3 },
    ]);
  });
});
