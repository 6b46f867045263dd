import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';

/**
 * What may change while a request is refused, and why. Everything else in the database must be as it was.
 */
const unwatched: Record<string, readonly string[] | 'all'> = {
  // That a session or an access token was used, which is so whatever becomes of the request.
  sessions: ['seen_time', 'expires_time'],
  users: ['access_token_used_time'],
  // What the test of a channel or a key showed, which is kept above all where it failed.
  channels: ['response_time', 'test_time', 'last_error', 'last_error_time'],
  channel_keys: ['response_time', 'test_time', 'last_error', 'last_error_time'],
  // Heartbeats and leases of the process itself.
  nodes: 'all',
  journals: 'all',
  leases: 'all',
  // It tells of refused changes too.
  audit: 'all',
  // Jobs tell that they are at it.
  channel_jobs: ['seen_time'],
  log_cleanup: ['seen_time'],
  // They count refusals.
  throttles: 'all',
  refusals: 'all',
  unknown_keys: 'all',
};

/** Watches every table of a database. */
export class WatchedTables {
  readonly #db: Kysely<Tables>;
  readonly #tables: { name: string; columns: string[] }[];

  private constructor(db: Kysely<Tables>, tables: { name: string; columns: string[] }[]) {
    this.#db = db;
    this.#tables = tables;
  }

  static async of(db: Kysely<Tables>): Promise<WatchedTables> {
    const tables = (await db.introspection.getTables())
      .filter(({ name }) => unwatched[name] !== 'all')
      .map(({ name, columns }) => ({
        name,
        columns: columns.map((column) => column.name).filter((column) => !unwatched[name]?.includes(column)),
      }));
    return new WatchedTables(db, tables);
  }

  /** Something that stays the same as long as nobody writes. */
  async mark(): Promise<string> {
    const query = isPostgres(this.#db)
      ? sql<{ mark: unknown }>`select pg_snapshot_xmax(pg_current_snapshot())::text as mark`
      : sql<{ mark: unknown }>`select data_version as mark from pragma_data_version`;
    const { rows } = await query.execute(this.#db);
    return String(rows[0]?.mark);
  }

  /** What is in each table, as a sum. */
  async sums(): Promise<Map<string, string>> {
    const sums = await Promise.all(
      this.#tables.map(async ({ name, columns }): Promise<[string, string]> => {
        const { rows } =
          await sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(name)}`.execute(
            this.#db,
          );
        const texts = rows.map((row) => JSON.stringify(row)).toSorted();
        return [name, `${rows.length}:${hash('sha256', texts.join('\n'), 'base64url')}`];
      }),
    );
    return new Map(sums);
  }

  /** The tables that differ between two sums. */
  static changed(before: Map<string, string>, after: Map<string, string>): string[] {
    return [...after].filter(([name, sum]) => before.get(name) !== sum).map(([name]) => name);
  }
}
