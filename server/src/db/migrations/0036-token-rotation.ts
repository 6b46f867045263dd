import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Rotation of token keys, their last use, repeated requests, and reminders of expiry; see decision 0049. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  for (const column of ['rotated_time', 'reminded_expiry'])
    await schema
      .alterTable('tokens')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  await schema.createIndex('tokens_expiry').on('tokens').column('expired_time').execute();
  await schema
    .alterTable('users')
    .addColumn('expiry_mail_days', 'integer', (c) => c.notNull().defaultTo(7))
    .execute();

  await inPrimaryKey(
    db,
    schema
      .createTable('token_old_keys')
      .addColumn('token_id', 'bigint', (c) => c.primaryKey())
      .addColumn('key_hash', 'text', (c) => c.notNull().unique())
      .addColumn('key_hint', 'text', (c) => c.notNull())
      .addColumn('valid_until', 'bigint', (c) => c.notNull()),
  ).execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('key_uses')
      .addColumn('key_hash', 'text', (c) => c.primaryKey())
      .addColumn('used_time', 'bigint', (c) => c.notNull())
      .addColumn('used_ip', 'text', (c) => c.notNull()),
  ).execute();

  await schema
    .createTable('repeated_requests')
    .addColumn('claim', 'text', (c) => c.primaryKey())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('reply_cipher', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('repeated_requests_age').on('repeated_requests').column('created_time').execute();
}
