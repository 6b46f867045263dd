import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect-differences.ts';
import { endOfOld, splitInto } from '../log-months.ts';

/** A larger log is left to a job, which splits it while calls are written (decision 0111). */
const MOST_BYTES = 64 * 1024 * 1024;

/** The log by month, on PostgreSQL. */
export async function up(db: Kysely<never>): Promise<void> {
  if (!isPostgres(db)) return;
  const { rows } = await sql<{ bytes: number | string }>`select pg_relation_size('logs') as bytes`.execute(db);
  if (Number(rows[0]?.bytes) <= MOST_BYTES) await splitInto(db, await endOfOld(db, Math.floor(Date.now() / 1000)));
}
