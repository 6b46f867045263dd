import { type Kysely, sql } from 'kysely';

/** Shares of top-ups for inviters, paid after a time (decision 0122). */
export async function up(db: Kysely<never>): Promise<void> {
  const { schema } = db;
  for (const column of ['share_quota', 'share_due', 'share_paid'])
    await schema
      .alterTable('orders')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  await schema
    .createIndex('orders_share_due')
    .on('orders')
    .column('share_due')
    .where(sql<boolean>`share_due > 0`)
    .execute();
}
