import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Rules that mask or refuse what requests and answers hold (decision 0126). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'guard_rules')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('enabled', 'boolean', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('requests', 'boolean', (c) => c.notNull())
    .addColumn('answers', 'boolean', (c) => c.notNull())
    .addColumn('groups', 'json', (c) => c.notNull())
    .addColumn('token_ids', 'json', (c) => c.notNull())
    .addColumn('kinds', 'json', (c) => c.notNull())
    .addColumn('patterns', 'json', (c) => c.notNull())
    .addColumn('updated_time', 'bigint', (c) => c.notNull())
    .addColumn('updated_by', 'text', (c) => c.notNull())
    .execute();
}
