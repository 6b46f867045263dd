import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * Indexes for the orders of ledger pages. They contain the kind, so that a filtered page needs only the index. Entries
 * other than calls are rare among millions of calls, so they have separate indexes.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const orders = {
    user_booked: ['user_id', 'id', 'kind'],
    user_time: ['user_id', 'created_time', 'id', 'kind'],
    time: ['created_time', 'id', 'kind'],
  };
  for (const [name, columns] of Object.entries(orders)) {
    const index = (its: string) => db.schema.createIndex(`ledger_${its}`).on('ledger').columns(columns);
    await index(name).execute();
    const noCalls = index(`other_${name}`).where(sql<boolean>`kind <> 'settle'`);
    await noCalls.execute();
  }
  await db.schema.dropIndex('ledger_user').execute();
}
