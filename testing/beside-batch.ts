import { type Kysely, sql, type Transaction } from 'kysely';
import { expect } from 'vitest';
import type { Tables } from '#db/tables.ts';

type Step = (trx: Transaction<Tables>) => Promise<unknown>;

/**
 * Runs `work` on PostgreSQL while a batch of calls holds its first lock and is about to take its second. Fails on a
 * deadlock, as with the opposite lock order.
 */
export async function besideBatch<T>(
  db: Kysely<Tables>,
  { first, second }: { first: Step; second: Step },
  work: () => Promise<T>,
): Promise<T> {
  let done: Promise<T>;
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    return rows[0]!.count;
  };
  await db.transaction().execute(async (trx) => {
    await first(trx);
    done = work();
    done.catch(() => {}); // rethrown below
    await expect.poll(waiting, { message: 'work that waits' }).toBeGreaterThan(0);
    await second(trx);
  });
  return done!;
}

/** Locks an account as a batch does. */
export const holding = (table: 'users' | 'tokens', id: number): Step => {
  return (trx) => trx.selectFrom(table).where('id', '=', id).select('id').forUpdate().execute();
};
