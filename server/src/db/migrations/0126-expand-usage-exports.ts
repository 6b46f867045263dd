import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Billing systems that get charged calls, and the events that they refused (decision 0124). */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('customer_id', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await tableWithId(db, 'usage_exports')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('config_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('signed', 'boolean', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('measure', 'text', (c) => c.notNull())
    .addColumn('enabled', 'boolean', (c) => c.notNull())
    .addColumn('log_position', 'bigint', (c) => c.notNull())
    .addColumn('ledger_position', 'bigint', (c) => c.notNull())
    .addColumn('sent', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('skipped', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('success_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('last_error', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('failures', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('next_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await tableWithId(db, 'refused_usage')
    .addColumn('export_id', 'bigint', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('event', 'json', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('waiting', 'boolean', (c) => c.notNull())
    .addUniqueConstraint('refused_usage_event', ['export_id', 'event_id'])
    .execute();
}
