import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Blocked addresses and networks, and the models that a user group may call (decision 0084). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'blocks')
    .addColumn('network', 'text', (c) => c.notNull().unique())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('expired_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.alterTable('user_groups').addColumn('model_switch', 'json').execute();
}
