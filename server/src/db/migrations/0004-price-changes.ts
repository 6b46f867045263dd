import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { inPrimaryKey, tableWithId } from '../dialect-differences.ts';

/** Where each price comes from, what was done to prices in one step and by whom, and updates that wait to be applied. */
export async function up(db: Kysely<never>): Promise<void> {
  const schema = db.schema;
  await schema
    .alterTable('prices')
    .addColumn('source', 'text', (c) => c.notNull().defaultTo('own'))
    .execute();
  await schema.alterTable('prices').addColumn('begun_by', 'bigint').execute();
  await schema.alterTable('prices').addColumn('ended_by', 'bigint').execute();
  // Until now there were only the built-in prices of the first start, and prices that operators set later.
  await sql`update prices set source = 'built_in' where valid_from = (select min(valid_from) from prices)`.execute(db);
  await schema.createIndex('prices_model').on('prices').columns(['model', 'version']).execute();
  await schema.createIndex('prices_begun').on('prices').column('begun_by').execute();
  await schema.createIndex('prices_ended').on('prices').column('ended_by').execute();

  await tableWithId(db, 'price_changes')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('added', 'integer', (c) => c.notNull())
    .addColumn('changed', 'integer', (c) => c.notNull())
    .addColumn('dropped', 'integer', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('undone_by', 'bigint')
    .execute();

  await inPrimaryKey(db, schema.createTable('price_previews'))
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('in_force', 'text', (c) => c.notNull())
    .addColumn('list', 'json', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
}
