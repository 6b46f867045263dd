import type { CreateTableBuilder, Kysely } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey, isPostgres } from '../dialect-differences.ts';

const usageSums = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
];

/**
 * The log is paged by time, so its indexes end with it; models are found by the roll-ups, and their index goes. What
 * is rare gets indexes that a usual call does not pay for. Days that are over are summed up once more.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const schema = db.schema;
  for (const name of ['logs_user', 'logs_channel', 'logs_model', 'logs_created'])
    await schema.dropIndex(name).execute();
  // SQLite has the row's number at the end of each entry anyway.
  const time = isPostgres(db) ? ['created_at', 'id'] : ['created_at'];
  const index = (name: string, columns: string[]) => schema.createIndex(name).on('logs').columns(columns);
  await index('logs_created', time).execute();
  await index('logs_user', ['user_id', ...time]).execute();
  await index('logs_channel', ['channel_id', ...time]).execute();
  const failed = sql<boolean>`failed`;
  // Indexes of rare rows may be wider: sums and lists then need no row.
  const summed = ['created_at', 'id', 'failed', ...usageSums.filter((sum) => !sum.endsWith('_count')), 'model_name'];
  await index('logs_failed', summed).where(failed).execute();
  await index('logs_failed_user', ['user_id', ...summed])
    .where(failed)
    .execute();
  await index('logs_failed_channel', ['channel_id', ...summed])
    .where(failed)
    .execute();
  const noCall = sql<boolean>`type <> 2`;
  const told = ['created_at', 'id', 'type', 'channel_id', 'model_name'];
  await index('logs_note', told).where(noCall).execute();
  await index('logs_note_user', ['user_id', ...told])
    .where(noCall)
    .execute();

  await rollUp(db, 'usage_days', ['day_start']);
  await rollUp(db, 'usage_days_by_user', ['user_id', 'day_start', 'model_name']);
  await rollUp(db, 'usage_days_by_channel', ['day_start', 'channel_id', 'model_name']);

  await schema
    .createTable('log_cleanup')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('target_timestamp', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('total', 'bigint', (c) => c.notNull())
    .addColumn('deleted', 'bigint', (c) => c.notNull())
    .addColumn('cleaned_before', 'bigint', (c) => c.notNull())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('started_time', 'bigint', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .addColumn('ended_time', 'bigint', (c) => c.notNull())
    .execute();
}

async function rollUp(db: Kysely<never>, name: string, key: string[]): Promise<void> {
  let table: CreateTableBuilder<string, string> = inPrimaryKey(db, db.schema.createTable(name));
  for (const column of key)
    table = table.addColumn(column, column === 'model_name' ? 'text' : 'bigint', (c) => c.notNull());
  if (name === 'usage_days') table = table.addColumn('day_end', 'bigint', (c) => c.notNull());
  for (const sum of usageSums) table = table.addColumn(sum, 'bigint', (c) => c.notNull());
  await table.addPrimaryKeyConstraint(`${name}_pk`, key).execute();
}
