import type { Kysely } from 'kysely';
import { inPrimaryKey, tableWithId } from '../dialect-differences.ts';

/** Names that stand for a chain of models, and their saved versions (decision 0109). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'virtual_models')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('enabled', 'boolean', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('steps', 'json', (c) => c.notNull())
    .addColumn('shadow', 'json')
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .addColumn('updated_by', 'text', (c) => c.notNull())
    .addColumn('updated_by_id', 'bigint', (c) => c.notNull())
    .execute();
  await inPrimaryKey(
    db,
    db.schema
      .createTable('virtual_model_versions')
      .addColumn('model_id', 'bigint', (c) => c.notNull())
      .addColumn('version', 'bigint', (c) => c.notNull())
      .addColumn('saved', 'json', (c) => c.notNull())
      .addPrimaryKeyConstraint('virtual_model_versions_pk', ['model_id', 'version']),
  ).execute();
}
