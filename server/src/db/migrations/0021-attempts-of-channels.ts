import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

const HOUR_S = 3600;
const KEPT_HOURS = 24;

/**
 * Attempts of each channel in each hour, by how they ended. The last day is filled from the calls, so that health is
 * known right after an update; calls do not show the attempts that another channel rescued. The row of channel 0 marks
 * the hour of the update: only later hours can be compared with the log.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(db, db.schema.createTable('attempts_by_channel'))
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('channel_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('attempts_by_channel_pk', ['hour', 'channel_id', 'kind'])
    .execute();
  const now = Math.floor(Date.now() / 1000);
  const hour = now - (now % HOUR_S);
  const recent = sql`from usage_by_channel where hour > ${sql.lit(hour - KEPT_HOURS * HOUR_S)} group by hour, channel_id`;
  const insert = sql`insert into attempts_by_channel (hour, channel_id, kind, attempts)`;
  const well = sql`sum(request_count) - sum(failed_count)`;
  await sql`${insert} select hour, channel_id, 'ok', ${well} ${recent} having ${well} > 0`.execute(db);
  await sql`${insert} select hour, channel_id, 'other', sum(failed_count) ${recent} having sum(failed_count) > 0`.execute(
    db,
  );
  await sql`${insert} select ${sql.lit(hour)}, 0, 'other', 0 where exists (select 1 from usage_by_channel)`.execute(db);
}
