import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';

/** Columns that may change although a request was refused. All others must stay the same. */
const unwatched: Record<string, readonly string[] | 'all'> = {
  // Use of a session or access token is recorded even for refused requests.
  sessions: ['seen_time', 'expires_time'],
  users: ['access_token_used_time'],
  // Results of failed channel and key tests are stored.
  channels: ['response_time', 'test_time', 'last_error', 'last_error_time', 'balance_error', 'balance_error_time'],
  channel_keys: ['response_time', 'test_time', 'last_error', 'last_error_time'],
  // Heartbeats and leases of the process.
  nodes: 'all',
  journals: 'all',
  leases: 'all',
  // Refused changes are audited.
  audit: 'all',
  // Heartbeats of jobs.
  channel_jobs: ['seen_time'],
  log_cleanup: ['seen_time'],
  // A backup that was started earlier goes on.
  backups: 'all',
  // Troubles, and messages about what earlier requests did.
  outbox: ['planned'],
  deliveries: 'all',
  node_troubles: 'all',
  // Last use of keys, written every two seconds.
  key_uses: 'all',
  // Counters of refusals.
  throttles: 'all',
  refusals: 'all',
  unknown_keys: 'all',
};

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

  /** A value that is constant while nothing is written. */
  async mark(): Promise<string> {
    const query = isPostgres(this.#db)
      ? sql<{ mark: unknown }>`select pg_snapshot_xmax(pg_current_snapshot())::text as mark`
      : sql<{ mark: unknown }>`select data_version as mark from pragma_data_version`;
    const { rows } = await query.execute(this.#db);
    return String(rows[0]?.mark);
  }

  /** A checksum per table. */
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

  /** The tables that differ between two checksums. */
  static changed(before: Map<string, string>, after: Map<string, string>): string[] {
    return [...after].filter(([name, sum]) => before.get(name) !== sum).map(([name]) => name);
  }
}
