import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';

/** Last ids of the log and the ledger below which every row is committed. */
export interface LastIds {
  logs: number;
  ledger: number;
}

/**
 * Finds ids that no transaction can still write below. PostgreSQL gives ids before a commit, so a row can appear below
 * others: the ids of a moment are safe when all transactions of that moment have ended. SQLite has one writer.
 */
export class CommittedIds {
  #safe: LastIds | undefined;
  #waiting: { ids: LastIds; until: bigint } | undefined;

  /** The newest ids that are known to be safe. Undefined: transactions of the first look are still open. */
  async last(db: Db): Promise<LastIds | undefined> {
    const ids = sql`coalesce((select max(id) from logs), 0) as logs, coalesce((select max(id) from ledger), 0) as ledger`;
    if (!isPostgres(db)) return (await sql<LastIds>`select ${ids}`.execute(db)).rows[0];
    const { rows } = await sql<LastIds & { first: string; next: string }>`select ${ids},
      pg_snapshot_xmin(pg_current_snapshot())::text as first, pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(
      db,
    );
    const [row] = rows;
    if (!row) return undefined;
    const { first, next, ...now } = row;
    if (first === next) {
      this.#waiting = undefined;
      this.#safe = now;
    } else {
      if (this.#waiting && BigInt(first) >= this.#waiting.until) {
        this.#safe = this.#waiting.ids;
        this.#waiting = undefined;
      }
      this.#waiting ??= { ids: now, until: BigInt(next) };
    }
    return this.#safe;
  }
}
