import type { Kysely } from 'kysely';

/** Which users the last changes of keys and accounts concern, so that nodes keep the callers of all others. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('changed_users')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('changed_users_revision').on('changed_users').column('revision').execute();
}
