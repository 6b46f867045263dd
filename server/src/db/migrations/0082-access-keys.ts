import type { Kysely } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Named keys of the management API with scopes (decision 0099). */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'access_keys')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('addresses', 'text', (c) => c.notNull())
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('expired_time', 'bigint', (c) => c.notNull())
    .addColumn('used_time', 'bigint', (c) => c.notNull())
    .addColumn('used_ip', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('access_keys_user').on('access_keys').column('user_id').execute();
}
