import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Limits that providers name, known to all nodes (decision 0103). */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(
    db,
    db.schema
      .createTable('learnt_limits')
      .addColumn('key_id', 'bigint', (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('amount', 'bigint', (c) => c.notNull())
      .addColumn('full_until', 'bigint', (c) => c.notNull())
      .addColumn('seen_time', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('learnt_limits_pk', ['key_id', 'model', 'name']),
  ).execute();
}
