import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Limits of channels and their keys, and how far they are used on all nodes (decision 0103). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('channels')
    .addColumn('limits', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('channel_limit_uses')
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('starts', 'bigint', (c) => c.notNull())
      .addColumn('ends', 'bigint', (c) => c.notNull())
      .addColumn('amount', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('channel_limit_uses_pk', ['scope', 'name', 'starts']),
  ).execute();
  await schema.createIndex('channel_limit_uses_ends').on('channel_limit_uses').column('ends').execute();
  await inPrimaryKey(
    db,
    schema
      .createTable('channel_calls')
      .addColumn('scope', 'text', (c) => c.notNull())
      .addColumn('node', 'text', (c) => c.notNull())
      .addColumn('calls', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('channel_calls_pk', ['scope', 'node']),
  ).execute();
}
