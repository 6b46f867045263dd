import { type Kysely, sql, type Transaction } from 'kysely';
import { expect } from 'vitest';
import type { Tables } from '#db/tables.ts';

type Step = (trx: Transaction<Tables>) => Promise<unknown>;

/**
 * Does some work while a batch of calls has taken its first lock and is about to take its second, on PostgreSQL.
 * Fails where they wait for each other, as one that holds the second and wants the first would.
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
    done.catch(() => {}); // told below
    await expect.poll(waiting, { timeout: 10_000 }).toBeGreaterThan(0);
    await second(trx);
  });
  return done!;
}

/** As a batch holds an account. */
export const holding = (table: 'users' | 'tokens', id: number): Step => {
  return (trx) => trx.selectFrom(table).where('id', '=', id).select('id').forUpdate().execute();
};
