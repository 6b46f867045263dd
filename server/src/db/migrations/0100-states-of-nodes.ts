import type { Kysely } from 'kysely';

/** What each node reports of itself for the page System. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('state', 'json').execute();
}
