import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Own purchase prices of channels by model and date (decision 0097). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'purchase_prices')
    .addColumn('channel_id', 'bigint', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('input', 'double precision', (c) => c.notNull())
    .addColumn('output', 'double precision', (c) => c.notNull())
    .addColumn('extra_ratios', 'json', (c) => c.notNull())
    .addColumn('rules', 'json', (c) => c.notNull())
    .addColumn('fees', 'json', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('rate', 'double precision', (c) => c.notNull())
    .addColumn('valid_from', 'bigint', (c) => c.notNull())
    .addColumn('removed_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('purchase_prices_channel').on('purchase_prices').columns(['channel_id']).execute();
}
