import type { Kysely } from 'kysely';

/** Version of each node, and the last migration that it knows. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('version', 'text').execute();
  await db.schema.alterTable('nodes').addColumn('schema', 'text').execute();
}
