import type { Kysely } from 'kysely';

/** Replies that are sent again to equal requests, and the channels whose replies may be (decision 0102). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('cached_replies')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('reply_cipher', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('cached_replies_expiry').on('cached_replies').columns(['expires_at', 'bytes']).execute();
  await schema.createIndex('cached_replies_user').on('cached_replies').columns(['user_id']).execute();
  await schema
    .createTable('reply_cache_days')
    .addColumn('day', 'bigint', (c) => c.primaryKey())
    .addColumn('hits', 'bigint', (c) => c.notNull())
    .addColumn('misses', 'bigint', (c) => c.notNull())
    .addColumn('saved', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .alterTable('channels')
    .addColumn('reply_cache', 'boolean', (c) => c.notNull().defaultTo(true))
    .execute();
}
