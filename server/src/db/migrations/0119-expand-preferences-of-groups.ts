import type { Kysely } from 'kysely';

/** Choice among channels of one priority for a group; null: that of the site (decision 0121). */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('user_groups').addColumn('channel_preference', 'text').execute();
}
