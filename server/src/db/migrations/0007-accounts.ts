import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Protection of accounts, unique names and addresses, and the users of a group without a scan. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  const times = ['password_time', 'access_token_time', 'access_token_used_time'];
  for (const name of times)
    await schema
      .alterTable('users')
      .addColumn(name, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  await schema.alterTable('users').addColumn('access_token_hash', 'text').execute();
  await schema
    .alterTable('users')
    .addColumn('access_token_hint', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await schema.createIndex('users_access_token').unique().on('users').column('access_token_hash').execute();
  // `Root` must not pass for `root`, nor may an address lead to two accounts.
  await schema
    .createIndex('users_username_any_case')
    .unique()
    .on('users')
    .expression(sql`lower(username)`)
    .execute();
  await schema
    .createIndex('users_email')
    .unique()
    .on('users')
    .expression(sql`lower(email)`)
    .where(sql<boolean>`email <> '' and deleted_time is null`)
    .execute();
  await schema.createIndex('users_group').on('users').column('group').execute();
  await schema.createIndex('tokens_group').on('tokens').column('group').execute();
}
