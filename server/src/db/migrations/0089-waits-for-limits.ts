import type { Kysely } from 'kysely';

/** How long calls of a user group wait for channels at their limits (decision 0103). */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('user_groups').addColumn('limit_wait', 'json').execute();
}
