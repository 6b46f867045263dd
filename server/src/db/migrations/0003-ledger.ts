import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * The ledger as it is read: of one user as it was booked, and by time; of all by time. With the kind in them, a
 * filtered page is found in an index alone, however deep. What is no call is seldom among millions of calls, and has
 * indexes of its own.
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
