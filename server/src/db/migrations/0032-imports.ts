import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Imports from other programs: what came from where, and what waits for the last run. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('imports')
    .addColumn('source', 'text', (c) => c.primaryKey())
    .addColumn('program', 'text', (c) => c.notNull())
    .addColumn('started_time', 'bigint', (c) => c.notNull())
    .addColumn('ended_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('final_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('runs', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('log_id', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('import_records')
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('old_id', 'text', (c) => c.notNull())
    .addColumn('new_id', 'bigint', (c) => c.notNull())
    .addColumn('old_state', 'text', (c) => c.notNull())
    .addColumn('new_state', 'text', (c) => c.notNull())
    .addColumn('figures', 'json', (c) => c.notNull())
    .addColumn('used_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('logged_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('run', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('import_records_key', ['source', 'kind', 'old_id'])
    .execute();
  await schema.createIndex('import_records_new').on('import_records').columns(['kind', 'new_id']).execute();
  await schema
    .createTable('awaited_identities')
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('awaited_identities_key', ['provider', 'name'])
    .execute();
  for (const table of ['users', 'redemptions'])
    await schema
      .alterTable(table)
      .addColumn('import_pending', 'boolean', (c) => c.notNull().defaultTo(false))
      .execute();
  // Accounts whose password is still stored as the old program hashed it.
  await schema
    .createIndex('users_old_password')
    .on('users')
    .column('id')
    .where(sql<boolean>`password_hash like '_2%'`)
    .execute();
}
