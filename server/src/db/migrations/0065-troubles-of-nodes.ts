import { type Kysely, sql } from 'kysely';
import { appendedTable } from '../dialect-differences.ts';

/** Troubles that only a node itself sees, charges that a balance did not cover, and one mail way per user. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('node_troubles')
    .addColumn('node', 'text', (c) => c.primaryKey())
    .addColumn('troubles', 'json', (c) => c.notNull())
    .execute();
  await appendedTable(db, 'shortfalls')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('credits', 'bigint', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('shortfalls_created').on('shortfalls').column('created_at').execute();
  // Percent of the limit that was last warned of in the period `warned_starts`.
  await db.schema
    .alterTable('limit_counters')
    .addColumn('warned_percent', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update limit_counters set warned_percent = 80 where warned_starts = starts`.execute(db);
  await db.schema.createIndex('outbox_object').on('outbox').columns(['object', 'id']).execute();
  const ownMail = sql<boolean>`user_id > 0 and kind = 'mail'`;
  const firsts = sql`select min(id) from ways where ${ownMail} group by user_id`;
  await sql`delete from ways where ${ownMail} and id not in (${firsts})`.execute(db);
  await sql`create unique index ways_own_mail on ways (user_id) where ${ownMail}`.execute(db);
}
