import type { CreateTableBuilder, Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Months of users, summed from their sealed days: a year of many users is then a few rows of each. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('usage_months')
    .addColumn('month_start', 'bigint', (c) => c.primaryKey())
    .addColumn('month_end', 'bigint', (c) => c.notNull())
    .execute();
  let table: CreateTableBuilder<string, string> = inPrimaryKey(db, db.schema.createTable('usage_months_of_users'));
  for (const column of ['month_start', 'user_id', ...sums])
    table = table.addColumn(column, 'bigint', (c) => c.notNull());
  await table.addPrimaryKeyConstraint('usage_months_of_users_pk', ['month_start', 'user_id']).execute();
}

const sums = [
  'request_count',
  'failed_count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'request_time',
  'cache_input',
  'cache_read',
  'cache_saved',
  'cost',
  'costed',
];
