import type { OldRow } from '../old-row.ts';

/** The database of the old program, read in one snapshot and never written. */
export interface OldDatabase {
  /** Columns by table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows by ascending `id`, or in any order for tables without one. */
  rows(table: string, after?: number): AsyncIterable<OldRow>;
  /** Different values of a column, in rows whose `from.column` is at least `from.least`. */
  distinct(table: string, column: string, from: { column: string; least: number }): Promise<unknown[]>;
  /** The greatest id of a table, or the number of its rows. */
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

/** The address names no database that can be read. */
export class OldDatabaseError extends Error {}

/** Interface of a database driver. */
export interface Reader {
  quote(name: string): string;
  /** `after` replaces the only `?`. */
  query(sql: string, after?: number): Promise<OldRow[]>;
  close(): Promise<void>;
}

const PAGE = 1000;

export function databaseOf(reader: Reader, columns: readonly { table: string; column: string }[]): OldDatabase {
  const tables = new Map<string, Set<string>>();
  for (const { table, column } of columns) {
    const known = tables.get(table) ?? new Set<string>();
    tables.set(table, known.add(column));
  }
  return {
    tables,
    async *rows(table, after = 0) {
      const columnsOf = tables.get(table);
      if (!columnsOf) return;
      const from = `select * from ${reader.quote(table)}`;
      if (!columnsOf.has('id')) {
        yield* await reader.query(from);
        return;
      }
      const id = reader.quote('id');
      let last = after;
      for (;;) {
        const page = await reader.query(`${from} where ${id} > ? order by ${id} limit ${PAGE}`, last);
        yield* page;
        const end = page.at(-1);
        if (!end || page.length < PAGE) return;
        const next = Number(end['id']);
        // Ids that are not exact could be read again for ever.
        if (!Number.isSafeInteger(next) || next <= last) return;
        last = next;
      }
    },
    async distinct(table, column, { column: from, least }) {
      const columnsOf = tables.get(table);
      if (!columnsOf?.has(column) || !columnsOf.has(from)) return [];
      const name = reader.quote(column);
      const found = await reader.query(
        `select distinct ${name} from ${reader.quote(table)} where ${reader.quote(from)} >= ?`,
        least,
      );
      return found.map((row) => row[column]);
    },
    async count(table) {
      if (!tables.has(table)) return 0;
      const [row] = await reader.query(`select count(*) as ${reader.quote('rows')} from ${reader.quote(table)}`);
      return Number(row?.['rows'] ?? 0);
    },
    close: () => reader.close(),
  };
}
