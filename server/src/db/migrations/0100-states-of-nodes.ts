import type { Kysely } from 'kysely';

/** State that each node reports for the page System. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('state', 'json').execute();
}
