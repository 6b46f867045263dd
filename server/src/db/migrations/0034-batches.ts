import type { Kysely } from 'kysely';

/** Batches of requests: tasks whose charge is settled from their results. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('settled_quota', 'bigint').execute();
}
