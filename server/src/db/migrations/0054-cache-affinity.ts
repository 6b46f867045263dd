import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Where conversations are kept for their prompt cache (decision 0071), and what caches save. Counting begins here. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('cache_affinity', 'text', (c) => c.notNull().defaultTo('auto'))
    .execute();
  await inPrimaryKey(
    db,
    db.schema
      .createTable('conversations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('channel_id', 'bigint', (c) => c.notNull())
      .addColumn('key_id', 'bigint', (c) => c.notNull())
      .addColumn('life_ms', 'bigint', (c) => c.notNull())
      .addColumn('ends_ms', 'bigint', (c) => c.notNull())
      .addColumn('revision', 'bigint', (c) => c.notNull()),
  ).execute();
  await db.schema.createIndex('conversations_revision').on('conversations').columns(['revision']).execute();
  await db.schema.createIndex('conversations_ends').on('conversations').columns(['ends_ms']).execute();
  for (const table of sumTables) await addCacheSums(db, table);
}

export async function addCacheSums(db: Kysely<never>, table: string): Promise<void> {
  for (const column of ['cache_input', 'cache_read', 'cache_saved'])
    await db.schema
      .alterTable(table)
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
}

/** Every roll-up with the sums of calls. */
const sumTables = [
  'usage_by_user',
  'usage_by_channel',
  'usage_by_token',
  'usage_days',
  'usage_days_by_user',
  'usage_days_by_channel',
  'usage_days_of_users',
  'usage_days_by_token',
];
