import type { Kysely } from 'kysely';

/** Memberships that groups of the identity provider give (decision 0114). */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('team_members')
    .addColumn('source', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
