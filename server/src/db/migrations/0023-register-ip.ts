import type { Kysely } from 'kysely';

/** Where accounts registered, to find people who invite themselves. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('register_ip', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
