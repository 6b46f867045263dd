import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Backups that were made, and the one that is running. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'backups')
    .addColumn('cause', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('lock', 'text', (c) => c.unique())
    .addColumn('slot', 'text', (c) => c.unique())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('percent', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('started_time', 'bigint', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .addColumn('ended_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('file', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('encrypted', 'boolean', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
