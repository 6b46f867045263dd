import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Calls of the last hour by minute and node (decision 0055). */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(
    db,
    db.schema
      .createTable('call_minutes')
      .addColumn('minute', 'bigint', (c) => c.notNull())
      .addColumn('node', 'text', (c) => c.notNull())
      .addColumn('written_time', 'bigint', (c) => c.notNull())
      .addColumn('calls', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('call_minutes_pk', ['minute', 'node']),
  ).execute();
}
