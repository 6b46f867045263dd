import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Days whose accounting has balanced, and sums of everything before them (decision 0100). */
export async function up(db: Kysely<never>): Promise<void> {
  let days = db.schema.createTable('signed_days').addColumn('until', 'bigint', (c) => c.primaryKey());
  for (const name of numbers) days = days.addColumn(name, 'bigint', (c) => c.notNull());
  for (const name of ['other_digest', 'charges_digest', 'rows_digest'])
    days = days.addColumn(name, 'text', (c) => c.notNull());
  await days.addColumn('shortfalls', 'json', (c) => c.notNull()).execute();
  await inPrimaryKey(db, db.schema.createTable('signed_sums'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('signed_sums_pk', ['kind', 'id', 'name'])
    .execute();
}

const numbers = [
  'first_time',
  'entries_after',
  'entries_to',
  'rows_after',
  'rows_to',
  'entries',
  'rows',
  'calls',
  'credits',
  'charged',
  'shortfall',
  'shortfall_calls',
  'signed_time',
];
