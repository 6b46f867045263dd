import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Limits of tokens by period, their counters, and what nodes hold of them for open calls. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('tokens').addColumn('limits', 'json').execute();
  await schema
    .alterTable('tokens')
    .addColumn('tag', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await schema
    .alterTable('tokens')
    .addColumn('note', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await schema.alterTable('tokens').addColumn('metadata', 'json').execute();
  await schema.alterTable('user_groups').addColumn('token_limits', 'json').execute();
  await schema
    .alterTable('users')
    .addColumn('limit_mails', 'boolean', (c) => c.notNull().defaultTo(true))
    .execute();

  await inPrimaryKey(db, schema.createTable('limit_counters'))
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('starts', 'bigint', (c) => c.notNull())
    .addColumn('ends', 'bigint', (c) => c.notNull())
    .addColumn('used', 'bigint', (c) => c.notNull())
    .addColumn('held', 'bigint', (c) => c.notNull())
    .addColumn('warned_starts', 'bigint', (c) => c.notNull().defaultTo(-1))
    .addPrimaryKeyConstraint('limit_counters_pk', ['token_id', 'name'])
    .execute();
  await inPrimaryKey(db, schema.createTable('limit_leases'))
    .addColumn('token_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('starts', 'bigint', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('limit_leases_pk', ['token_id', 'name', 'node'])
    .execute();
  await schema.createIndex('limit_leases_node').on('limit_leases').column('node').execute();
}
