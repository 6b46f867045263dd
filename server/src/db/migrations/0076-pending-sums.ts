import { type Kysely, sql } from 'kysely';
import { databaseTime, tableWithId } from '#db/dialect-differences.ts';

/** Sums of batches that are not in the roll-ups yet. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'pending_sums')
    .addColumn('created_time', 'bigint', (c) => c.notNull().defaultTo(sql`(${databaseTime(db)})`))
    .addColumn('calls', 'bigint', (c) => c.notNull())
    .addColumn('sums', 'json', (c) => c.notNull())
    .execute();
}
