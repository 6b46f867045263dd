import { type Kysely, sql } from 'kysely';
import { inPrimaryKey, tableWithId } from '../dialect-differences.ts';

/** Teams: accounts that several people use (decision 0105). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('users')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('person'))
    .execute();
  await schema.alterTable('tokens').addColumn('member_id', 'bigint').execute();
  await schema.alterTable('audit').addColumn('account_id', 'bigint').execute();
  await schema
    .createIndex('audit_account')
    .on('audit')
    .columns(['account_id', 'id'])
    .where(sql<boolean>`account_id is not null`)
    .execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('team_members')
      .addColumn('team_id', 'bigint', (c) => c.notNull())
      .addColumn('user_id', 'bigint', (c) => c.notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('cost_centre', 'text', (c) => c.notNull())
      .addColumn('invited_by', 'bigint', (c) => c.notNull())
      .addColumn('created_time', 'bigint', (c) => c.notNull())
      .addColumn('offered_time', 'bigint', (c) => c.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('team_members_pk', ['team_id', 'user_id']),
  ).execute();
  await schema.createIndex('team_members_user').on('team_members').column('user_id').execute();
  // One owner, whatever races.
  await schema
    .createIndex('team_members_owner')
    .on('team_members')
    .column('team_id')
    .unique()
    .where(sql<boolean>`role = 'owner'`)
    .execute();
  await tableWithId(db, 'team_invites')
    .addColumn('team_id', 'bigint', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('cost_centre', 'text', (c) => c.notNull())
    .addColumn('invited_by', 'bigint', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('expires_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('team_invites_team').on('team_invites').column('team_id').execute();
}
