import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Kept bills of providers, accounts to fetch them from, and the usage of tests and checks of channels. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'bills')
    .addColumn('provider', 'text', (c) => c.notNull())
    .addColumn('month', 'text', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('closed', 'boolean', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .addColumn('question', 'json', (c) => c.notNull())
    .addColumn('report', 'json', (c) => c.notNull())
    .addColumn('events', 'json', (c) => c.notNull())
    .addUniqueConstraint('bills_month', ['provider', 'month'])
    .execute();
  await tableWithId(db, 'bill_sources')
    .addColumn('vendor', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('base_url', 'text', (c) => c.notNull())
    .addColumn('key_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('channel_ids', 'json', (c) => c.notNull())
    .addColumn('fetched_time', 'bigint', (c) => c.notNull())
    .addColumn('last_error', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('own_usage')
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('channel_id', 'bigint', (c) => c.notNull())
    .addColumn('model_name', 'text', (c) => c.notNull())
    .addColumn('calls', 'bigint', (c) => c.notNull())
    .addColumn('failed', 'bigint', (c) => c.notNull())
    .addColumn('prompt_tokens', 'bigint', (c) => c.notNull())
    .addColumn('completion_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost', 'bigint', (c) => c.notNull())
    .addColumn('unknown', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('own_usage_key', ['channel_id', 'hour', 'model_name'])
    .execute();
}
