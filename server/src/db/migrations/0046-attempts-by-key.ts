import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Attempts by key of a channel, for its read view (decision 0062). Counting begins with the update. */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(
    db,
    db.schema
      .createTable('attempts_by_key')
      .addColumn('channel_id', 'bigint', (c) => c.notNull())
      .addColumn('hour', 'bigint', (c) => c.notNull())
      .addColumn('key_id', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'bigint', (c) => c.notNull())
      .addColumn('failures', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('attempts_by_key_pk', ['channel_id', 'hour', 'key_id']),
  ).execute();
}
