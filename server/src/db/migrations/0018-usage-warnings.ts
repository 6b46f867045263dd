import type { Kysely } from 'kysely';

/** The last usage that a channel reported and that could not be, until an operator has seen it: JSON, or empty. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('usage_warning', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
