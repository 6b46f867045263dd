import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Announcements, maintenance windows, and what the status page shows of incidents (decision 0085). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'announcements')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('texts', 'json', (c) => c.notNull())
    .addColumn('start_time', 'bigint', (c) => c.notNull())
    .addColumn('end_time', 'bigint', (c) => c.notNull())
    .addColumn('groups', 'json', (c) => c.notNull())
    .addColumn('languages', 'json', (c) => c.notNull())
    .addColumn('dismissible', 'boolean', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('mail_state', 'text', (c) => c.notNull())
    .addColumn('mailed', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('mail_after', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('users')
    .addColumn('announcement_mails', 'boolean', (c) => c.notNull().defaultTo(true))
    .execute();
  await db.schema.alterTable('incidents').addColumn('public_words', 'text').execute();
}
