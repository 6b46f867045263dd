import type { Kysely } from 'kysely';

/** A channel's policies for options without a price, and the tier of its provider's project. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const name of ['unpriced_tiers', 'unpriced_tools', 'default_tier'] as const)
    await db.schema
      .alterTable('channels')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
}
