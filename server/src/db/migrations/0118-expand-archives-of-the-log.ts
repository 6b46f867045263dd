import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Files of calls that are no longer in the log (decision 0120), and how far a clean-up has written them. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'log_archives')
    .addColumn('month', 'bigint', (c) => c.notNull())
    .addColumn('part', 'bigint', (c) => c.notNull())
    .addColumn('from_time', 'bigint', (c) => c.notNull())
    .addColumn('until_time', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('file', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('rows', 'bigint', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('log_archives_part', ['month', 'part'])
    .execute();
  const cleanup = (column: 'archived' | 'error', type: 'bigint' | 'text', initial: 0 | '') =>
    db.schema
      .alterTable('log_cleanup')
      .addColumn(column, type, (c) => c.notNull().defaultTo(initial))
      .execute();
  await cleanup('archived', 'bigint', 0);
  await cleanup('error', 'text', '');
}
