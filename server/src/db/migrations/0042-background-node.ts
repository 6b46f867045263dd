import type { Kysely } from 'kysely';

/** The process that makes a response in the background, so that others notice when it was lost. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('stored_responses')
    .addColumn('node', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
