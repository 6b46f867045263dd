import type { Kysely } from 'kysely';
import { appendedTable, tableWithId } from '../dialect-differences.ts';

/** Incidents, the events of the site, and their delivery (decision 0078). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'incidents')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('object', 'text', (c) => c.notNull())
    .addColumn('open_key', 'text', (c) => c.unique())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('began_at', 'bigint', (c) => c.notNull())
    .addColumn('opened_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('cause', 'text', (c) => c.notNull())
    .addColumn('params', 'json', (c) => c.notNull())
    .addColumn('acknowledged_by', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('acknowledged_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('muted_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('note', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('incidents_closed').on('incidents').columns(['closed_at', 'id']).execute();
  await tableWithId(db, 'outbox')
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('object', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('time', 'bigint', (c) => c.notNull())
    .addColumn('planned', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
  await db.schema.createIndex('outbox_unplanned').on('outbox').columns(['planned', 'id']).execute();
  await db.schema.createIndex('outbox_time').on('outbox').column('time').execute();
  await tableWithId(db, 'ways')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('config_cipher', 'text', (c) => c.notNull())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('enabled', 'boolean', (c) => c.notNull())
    .addColumn('events', 'json', (c) => c.notNull())
    .addColumn('kinds', 'json', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('quiet_from', 'text', (c) => c.notNull())
    .addColumn('quiet_to', 'text', (c) => c.notNull())
    .addColumn('quiet_zone', 'text', (c) => c.notNull())
    .addColumn('confirmed_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('tested_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('failure', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('failures', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('ways_user').on('ways').column('user_id').execute();
  await appendedTable(db, 'deliveries')
    .addColumn('event_id', 'bigint', (c) => c.notNull())
    .addColumn('way_id', 'bigint', (c) => c.notNull())
    .addColumn('object', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().defaultTo('waiting'))
    .addColumn('attempts', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('http_status', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('request', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('answer', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('ref', 'text', (c) => c.notNull().defaultTo(''))
    .addUniqueConstraint('deliveries_once', ['event_id', 'way_id'])
    .execute();
  await db.schema.createIndex('deliveries_due').on('deliveries').columns(['status', 'next_at']).execute();
  await db.schema.createIndex('deliveries_way').on('deliveries').columns(['way_id', 'id']).execute();
  // Incidents are mailed as soon as there is a mail server.
  await (db as unknown as Kysely<{ ways: object }>)
    .insertInto('ways')
    .values({
      user_id: 0,
      kind: 'mail',
      name: '',
      config_cipher: '',
      hint: '',
      enabled: true,
      events: '["incident.opened","incident.closed"]',
      kinds: '[]',
      severity: 'warning',
      quiet_from: '',
      quiet_to: '',
      quiet_zone: '',
    })
    .execute();
}
