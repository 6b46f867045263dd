import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Accounts elsewhere that sign in here, each of them bound to one account, and sign-ins that are under way. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await tableWithId(db, 'identities')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('used_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex('identities_subject')
    .unique()
    .on('identities')
    .columns(['provider', 'issuer', 'subject'])
    .execute();
  await schema.createIndex('identities_user').unique().on('identities').columns(['user_id', 'provider']).execute();

  await schema
    .createTable('oauth_states')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('browser_hash', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('kept', 'text', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('oauth_states_expires').on('oauth_states').column('expires_time').execute();
}
