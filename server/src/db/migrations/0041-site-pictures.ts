import type { Kysely } from 'kysely';

/** Images that an operator uploaded for settings, such as the logo. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('site_pictures')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('base64', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
}
