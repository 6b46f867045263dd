import type { Kysely } from 'kysely';

/** Scope of an access token without a proof of identity; see decision 0045. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('access_token_scope', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
