import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { tableWithId } from '../dialect-differences.ts';

/** Codes that are worth credits: found by hash, shown as a mask, stored encrypted for administrators who issue them. */
export async function up(db: Kysely<never>): Promise<void> {
  await tableWithId(db, 'redemptions')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('users.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('key_cipher', 'text', (c) => c.notNull())
    .addColumn('key_hint', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('quota', 'bigint', (c) => c.notNull().check(sql`quota >= 0`))
    .addColumn('created_time', 'bigint', (c) => c.notNull())
    .addColumn('expired_time', 'bigint', (c) => c.notNull())
    .addColumn('redeemed_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('redeemed_user_id', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('deleted_time', 'bigint')
    .execute();
  // Covers the count and sum of redemptions in a period without reading rows.
  await db.schema
    .createIndex('redemptions_redeemed')
    .on('redemptions')
    .columns(['redeemed_time', 'quota', 'redeemed_user_id'])
    .where(sql.ref('redeemed_time'), '>', 0)
    .execute();
}
