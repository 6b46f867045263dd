import type { CreateTableBuilder, Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Payment gateways, orders with their timeline, refunds and disputes, and the numbers of receipts. */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  await texts(tableWithId(db, 'payment_gateways'), ['type', 'uuid', 'name', 'icon', 'notify_domain', 'currency'])
    .addColumn('fixed_fee_minor', 'bigint', (c) => c.notNull())
    .addColumn('percent_fee_bp', 'integer', (c) => c.notNull())
    .addColumn('config', 'json', (c) => c.notNull())
    .addColumn('secrets_cipher', 'text', (c) => c.notNull())
    .addColumn('sort', 'integer', (c) => c.notNull())
    .addColumn('enable', 'boolean', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('last_notice_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('last_refused_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('deleted_time', 'bigint')
    .addUniqueConstraint('payment_gateways_uuid', ['uuid'])
    .execute();

  await numbers(tableWithId(db, 'orders'), [
    'user_id',
    'gateway_id',
    'amount',
    'fee_minor',
    'discount_minor',
    'order_minor',
    'quota',
    'created_at',
    'updated_at',
  ])
    .addColumn('trade_no', 'text', (c) => c.notNull())
    .addColumn('gateway_no', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('session_no', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('order_currency', 'text', (c) => c.notNull())
    .addColumn('rate', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('attention', 'text', (c) => c.notNull().defaultTo('none'))
    .addColumn('start', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('source_ip', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('paid_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('refunded_minor', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('refunded_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('receipt_no', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('inviter_id', 'bigint')
    .addColumn('reward_quota', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('completed_by', 'bigint')
    .addColumn('completed_remark', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('query_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('queries', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('queried_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('orders_trade_no', ['trade_no'])
    .execute();
  // One payment of a gateway credits at most one order.
  await schema
    .createIndex('orders_gateway_no')
    .unique()
    .on('orders')
    .columns(['gateway_id', 'gateway_no'])
    .where('gateway_no' as never, '<>', '')
    .execute();
  const index = (name: string, table: string, columns: string[]) =>
    schema.createIndex(name).on(table).columns(columns).execute();
  /** For the queries that are due, which every node looks for every few seconds. */
  const dueIndex = (table: string) =>
    schema
      .createIndex(`${table}_due`)
      .on(table)
      .columns(['query_at'])
      .where('query_at' as never, '>', 0)
      .execute();
  await index('orders_user', 'orders', ['user_id', 'id']);
  await index('orders_created', 'orders', ['created_at', 'id']);
  await index('orders_status', 'orders', ['status', 'created_at']);
  await dueIndex('orders');

  await numbers(tableWithId(db, 'order_events'), ['order_id', 'gateway_id', 'created_at', 'last_at', 'count'])
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('checks', 'json', (c) => c.notNull())
    .addColumn('facts', 'json', (c) => c.notNull())
    .addColumn('evidence', 'text', (c) => c.notNull())
    .addColumn('print', 'text', (c) => c.notNull())
    .execute();
  await index('order_events_order', 'order_events', ['order_id', 'id']);
  await index('order_events_gateway', 'order_events', ['gateway_id', 'order_id', 'print']);

  await numbers(tableWithId(db, 'refunds'), [
    'order_id',
    'quota',
    'taken_quota',
    'minor',
    'actor_id',
    'created_at',
    'updated_at',
  ])
    .addColumn('refund_no', 'text', (c) => c.notNull())
    .addColumn('reference', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('remark', 'text', (c) => c.notNull())
    .addColumn('by_hand', 'boolean', (c) => c.notNull())
    .addColumn('gateway_refund_no', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('credit_note_no', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('reward_taken', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('reward_short', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('query_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('queries', 'integer', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('refunds_refund_no', ['refund_no'])
    .addUniqueConstraint('refunds_reference', ['order_id', 'reference'])
    .execute();
  await dueIndex('refunds');
  // At most one refund of an order is in progress.
  await schema
    .createIndex('refunds_processing')
    .unique()
    .on('refunds')
    .columns(['order_id'])
    .where('status' as never, '=', 'processing')
    .execute();

  await numbers(tableWithId(db, 'disputes'), [
    'order_id',
    'gateway_id',
    'minor',
    'held_quota',
    'loss_quota',
    'created_at',
  ])
    .addColumn('dispute_no', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('closed_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('disputes_dispute_no', ['gateway_id', 'dispute_no'])
    .execute();
  await index('disputes_order', 'disputes', ['order_id']);

  await schema
    .createTable('number_series')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();

  // Null: the site's threshold of balance reminders.
  await schema.alterTable('users').addColumn('remind_quota', 'bigint').execute();
}

type Table = CreateTableBuilder<string, string>;

const numbers = (table: Table, names: readonly string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, 'bigint', (c) => c.notNull()), table);

const texts = (table: Table, names: readonly string[]): Table =>
  names.reduce((built, name) => built.addColumn(name, 'text', (c) => c.notNull()), table);
