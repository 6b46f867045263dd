import type { Kysely } from 'kysely';

/** Leases of limits beyond open calls, and their recall (decision 0112). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const column of ['spare', 'recalled'])
    await db.schema
      .alterTable('limit_leases')
      .addColumn(column, 'boolean', (c) => c.notNull().defaultTo(false))
      .execute();
}
