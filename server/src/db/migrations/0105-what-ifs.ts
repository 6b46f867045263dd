import { type Kysely, sql } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Reports of past months priced again (decision 0113). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'what_ifs')
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('question', 'json', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('total', 'bigint', (c) => c.notNull())
    .addColumn('done', 'bigint', (c) => c.notNull())
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('seen_time', 'bigint', (c) => c.notNull())
    .addColumn('ended_time', 'bigint', (c) => c.notNull())
    .addColumn('error', 'text', (c) => c.notNull())
    .addColumn('report', 'json')
    .execute();
  await sql`create unique index what_ifs_running on what_ifs (state) where state = 'running'`.execute(db);
}
