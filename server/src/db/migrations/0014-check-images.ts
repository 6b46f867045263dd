import type { Kysely } from 'kysely';

/** Pictures that models of a channel are asked to look at, and who fetched them, from whatever node. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('check_images')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createTable('check_image_fetches')
    .addColumn('image_id', 'text', (c) => c.notNull().references('check_images.id').onDelete('cascade'))
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('check_image_fetches_key', ['image_id', 'ip', 'user_agent'])
    .execute();
}
