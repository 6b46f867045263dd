import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Plans with their versions, subscriptions with their periods, and what sells them (decision 0108). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await tableWithId(db, 'plans')
    .addColumn('enabled', 'boolean', (c) => c.notNull())
    .addColumn('sort', 'bigint', (c) => c.notNull())
    .addColumn('names', 'json', (c) => c.notNull())
    .addColumn('descriptions', 'json', (c) => c.notNull())
    .addColumn('most_active', 'bigint', (c) => c.notNull())
    .addColumn('most_total', 'bigint', (c) => c.notNull())
    .addColumn('stock', 'bigint')
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .execute();
  await tableWithId(db, 'plan_versions')
    .addColumn('plan_id', 'bigint', (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('valid_from', 'bigint', (c) => c.notNull())
    .addColumn('terms', 'json', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('plan_versions_number')
    .unique()
    .on('plan_versions')
    .columns(['plan_id', 'number'])
    .execute();
  await tableWithId(db, 'subscriptions')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('plan_id', 'bigint', (c) => c.notNull())
    .addColumn('version_id', 'bigint', (c) => c.notNull())
    .addColumn('next_version_id', 'bigint')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('renew', 'boolean', (c) => c.notNull())
    .addColumn('beyond', 'boolean', (c) => c.notNull())
    // The period that begins at the anchor; later ones are counted from there.
    .addColumn('anchor', 'bigint', (c) => c.notNull())
    .addColumn('anchor_number', 'bigint', (c) => c.notNull())
    .addColumn('period', 'bigint', (c) => c.notNull())
    .addColumn('ends', 'bigint', (c) => c.notNull())
    .addColumn('reminded_period', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('request_key', 'text')
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('subscriptions_request')
    .unique()
    .on('subscriptions')
    .columns(['user_id', 'request_key'])
    .execute();
  await schema.createIndex('subscriptions_plan').on('subscriptions').columns(['plan_id', 'status']).execute();
  await schema.createIndex('subscriptions_due').on('subscriptions').columns(['status', 'ends']).execute();
  await tableWithId(db, 'subscription_periods')
    .addColumn('subscription_id', 'bigint', (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('version_id', 'bigint', (c) => c.notNull())
    .addColumn('starts', 'bigint', (c) => c.notNull())
    .addColumn('ends', 'bigint', (c) => c.notNull())
    // The end with grace.
    .addColumn('usable_until', 'bigint', (c) => c.notNull())
    .addColumn('price', 'bigint', (c) => c.notNull())
    .addColumn('granted', 'bigint')
    .addColumn('rolled_over', 'bigint', (c) => c.notNull())
    .addColumn('moved', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('refunded', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('closed', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  // The grant is idempotent by it.
  await schema
    .createIndex('subscription_periods_number')
    .unique()
    .on('subscription_periods')
    .columns(['subscription_id', 'number'])
    .execute();
  await schema
    .createIndex('subscription_periods_user')
    .on('subscription_periods')
    .columns(['user_id', 'usable_until'])
    .execute();
  // The plan that the order's credits buy, or a code gives.
  await schema.alterTable('orders').addColumn('plan_version_id', 'bigint').execute();
  await schema.alterTable('redemptions').addColumn('plan_id', 'bigint').execute();
}
