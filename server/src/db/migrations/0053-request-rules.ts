import type { Kysely } from 'kysely';

/** Changes to the requests of a channel. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('request_rules', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
