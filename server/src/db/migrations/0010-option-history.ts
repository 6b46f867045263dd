import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Who changed which setting when, and what it was before. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'option_changes')
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addColumn('actor_id', 'bigint', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('option_changes_key').on('option_changes').columns(['key', 'id']).execute();
}
