import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '../dialect-differences.ts';

/** Sums of purchase costs in every roll-up, and the cost of a call in its row. Counting begins here. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of sumTables) await addCosts(db, table);
  await db.schema.alterTable('logs').addColumn('cost', 'bigint').execute();
  // Calls that lost money are rare, so a usual call does not pay for this index.
  await db.schema
    .createIndex('logs_losing')
    .on('logs')
    .columns(isPostgres(db) ? ['created_at', 'id'] : ['created_at'])
    .where(sql<boolean>`cost > quota * 1000`)
    .execute();
}

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

export async function addCosts(db: Kysely<never>, table: string): Promise<void> {
  for (const column of ['cost', 'costed'])
    await db.schema
      .alterTable(table)
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
}
