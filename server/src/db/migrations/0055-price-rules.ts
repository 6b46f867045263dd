import type { Kysely } from 'kysely';

/** Rules and fees of a price; earlier prices have none. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const name of ['rules', 'fees'] as const)
    await db.schema
      .alterTable('prices')
      .addColumn(name, 'json', (c) => c.notNull().defaultTo('[]'))
      .execute();
}
