import type { Kysely } from 'kysely';

/** Why the balance of a channel's account could not be read. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('channels')
    .addColumn('balance_error', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('channels')
    .addColumn('balance_error_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}
