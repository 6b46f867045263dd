import type { Kysely } from 'kysely';

/** Channels that a test of all left out, with the reasons. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channel_jobs')
    .addColumn('skips', 'json', (c) => c.notNull().defaultTo('[]'))
    .execute();
}
