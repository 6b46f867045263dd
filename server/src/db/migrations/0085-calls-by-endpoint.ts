import type { Kysely } from 'kysely';
import { inPrimaryKey } from '../dialect-differences.ts';

/** Calls and their times to the first token by kind of endpoint, for the status page. Counting begins with the update. */
export async function up(db: Kysely<never>): Promise<void> {
  await inPrimaryKey(
    db,
    db.schema
      .createTable('calls_by_endpoint')
      .addColumn('hour', 'bigint', (c) => c.notNull())
      .addColumn('endpoint', 'text', (c) => c.notNull())
      .addColumn('measure', 'text', (c) => c.notNull())
      .addColumn('bucket', 'bigint', (c) => c.notNull())
      .addColumn('calls', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('calls_by_endpoint_pk', ['hour', 'endpoint', 'measure', 'bucket']),
  ).execute();
}
