import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Objects that a provider keeps for a user, by the channel that holds them, and responses that are kept here. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await inPrimaryKey(
    db,
    schema
      .createTable('upstream_objects')
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('object_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'bigint', (c) => c.notNull())
      .addColumn('token_id', 'bigint', (c) => c.notNull())
      .addColumn('channel_id', 'bigint', (c) => c.notNull())
      .addColumn('key_id', 'bigint', (c) => c.notNull())
      .addColumn('parent_id', 'text', (c) => c.notNull().defaultTo(''))
      .addColumn('tokens', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('data', 'text', (c) => c.notNull().defaultTo(''))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('upstream_objects_pk', ['object_id', 'kind', 'user_id']),
  ).execute();
  await schema.createIndex('upstream_objects_expiry').on('upstream_objects').columns(['expires_at']).execute();
  await schema
    .createIndex('upstream_objects_owner')
    .on('upstream_objects')
    .columns(['user_id', 'kind', 'created_at'])
    .execute();
  await schema.createIndex('upstream_objects_parent').on('upstream_objects').columns(['parent_id']).execute();

  await schema
    .createTable('stored_responses')
    .addColumn('response_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('previous_id', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('content_cipher', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('stored_responses_expiry').on('stored_responses').columns(['expires_at']).execute();
}
