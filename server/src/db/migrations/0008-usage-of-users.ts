import type { CreateTableBuilder, Kysely } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

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
 * Days of users without their models, in the order of time: who used most in a month is then a short read, however many
 * users and models there are. And who registered when, without reading every account.
 */
export async function up(db: Kysely<never>): Promise<void> {
  let table: CreateTableBuilder<string, string> = inPrimaryKey(db, db.schema.createTable('usage_days_of_users'));
  for (const column of ['day_start', 'user_id', ...usageSums])
    table = table.addColumn(column, 'bigint', (c) => c.notNull());
  await table.addPrimaryKeyConstraint('usage_days_of_users_pk', ['day_start', 'user_id']).execute();
  const sums = sql.join(usageSums.map((name) => sql`sum(${sql.ref(name)})`));
  await sql`insert into usage_days_of_users (day_start, user_id, ${sql.join(usageSums.map((name) => sql.ref(name)))})
    select day_start, user_id, ${sums} from usage_days_by_user group by day_start, user_id`.execute(db);

  await db.schema
    .createIndex('users_created')
    .on('users')
    .column('created_time')
    .where(sql<boolean>`deleted_time is null`)
    .execute();
}
