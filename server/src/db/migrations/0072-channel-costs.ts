import type { Kysely } from 'kysely';

/** Purchase price of a channel as a multiple of the list price; null: unknown. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('channels').addColumn('cost_ratio', 'double precision').execute();
}
