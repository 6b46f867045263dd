import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Codes of an app, passkeys, steps of signing in that are under way, and what administrators do. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('sessions')
    .addColumn('proved_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();

  await schema
    .createTable('totp')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey().references('users.id'))
    .addColumn('seed_cipher', 'text', (c) => c.notNull())
    .addColumn('confirmed_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('last_step', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('used_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
    .execute();
  await schema
    .createTable('login_steps')
    .addColumn('id_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();

  await tableWithId(db, 'passkeys')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('synced', 'boolean', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('used_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute();
  await schema
    .createTable('passkey_challenges')
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('passkey_challenges_key', ['holder', 'purpose'])
    .execute();

  await auditTable(db);
}

async function auditTable(db: Kysely<never>): Promise<void> {
  const texts = ['actor_name', 'ip', 'user_agent', 'via', 'method', 'path', 'kind', 'object_id', 'object_name', 'code'];
  let table = tableWithId(db, 'audit')
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('actor_role', 'integer', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull());
  for (const name of texts) table = table.addColumn(name, 'text', (c) => c.notNull());
  for (const name of ['input', 'before', 'after']) table = table.addColumn(name, 'json');
  await table.execute();
  const { schema } = db;
  await schema.createIndex('audit_time').on('audit').columns(['created_time', 'id']).execute();
  await schema.createIndex('audit_actor').on('audit').columns(['actor_name', 'id']).execute();
  await schema.createIndex('audit_object').on('audit').columns(['kind', 'object_id', 'id']).execute();
}
