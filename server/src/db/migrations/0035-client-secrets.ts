import type { Kysely } from 'kysely';

/** Short-lived secrets for realtime sessions, and how long a token keeps its responses. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('client_secrets')
    .addColumn('secret_hash', 'text', (c) => c.primaryKey())
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('session_cipher', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('client_secrets_expiry').on('client_secrets').columns(['expires_at']).execute();
  await schema.createIndex('client_secrets_token').on('client_secrets').columns(['token_id']).execute();
  await schema.alterTable('tokens').addColumn('response_store_hours', 'bigint').execute();
}
