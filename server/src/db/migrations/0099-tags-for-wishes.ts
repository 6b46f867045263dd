import type { Kysely } from 'kysely';

/** Properties of channels that wishes of callers are about (decision 0110). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const name of ['public_name', 'region', 'data_policy', 'quantization'])
    await db.schema
      .alterTable('channels')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
}
