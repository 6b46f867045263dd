import type { Kysely } from 'kysely';
import { isPostgres } from '../dialect-differences.ts';

/** Days of some users over a year. SQLite reads them day by day, by the key. */
export async function up(db: Kysely<never>): Promise<void> {
  if (!isPostgres(db)) return;
  await db.schema
    .createIndex('usage_days_of_users_user')
    .on('usage_days_of_users')
    .columns(['user_id', 'day_start'])
    .execute();
}
