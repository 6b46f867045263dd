import { type Kysely, sql } from 'kysely';
import { inPrimaryKey, tableWithId } from '../dialect-differences.ts';

/** Identity providers that manage accounts and groups by SCIM (decision 0114). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await tableWithId(db, 'scim_connections')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('adopts', 'boolean', (c) => c.notNull())
    .addColumn('admins', 'boolean', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('used_time', 'bigint', (c) => c.notNull())
    .addColumn('used_ip', 'text', (c) => c.notNull())
    .execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('scim_users')
      .addColumn('user_id', 'bigint', (c) => c.notNull().primaryKey())
      .addColumn('connection_id', 'bigint', (c) => c.notNull())
      .addColumn('user_key', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text', (c) => c.notNull())
      .addColumn('active', 'boolean', (c) => c.notNull())
      .addColumn('resource', 'json', (c) => c.notNull())
      .addColumn('version', 'bigint', (c) => c.notNull())
      .addColumn('created_time', 'bigint', (c) => c.notNull())
      .addColumn('changed_time', 'bigint', (c) => c.notNull())
      .addColumn('deleted_time', 'bigint'),
  ).execute();
  await schema
    .createIndex('scim_users_name')
    .on('scim_users')
    .columns(['connection_id', 'user_key'])
    .unique()
    .where(sql<boolean>`deleted_time is null`)
    .execute();
  await schema.createIndex('scim_users_external').on('scim_users').columns(['connection_id', 'external_id']).execute();
  await tableWithId(db, 'scim_groups')
    .addColumn('connection_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('external_id', 'text', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('changed_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('scim_groups_name')
    .on('scim_groups')
    .columns(['connection_id', 'name_key'])
    .unique()
    .execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('scim_group_members')
      .addColumn('group_id', 'bigint', (c) => c.notNull())
      .addColumn('user_id', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('scim_group_members_pk', ['group_id', 'user_id']),
  ).execute();
  await schema.createIndex('scim_group_members_user').on('scim_group_members').column('user_id').execute();
}
