import { sql, type Kysely } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import type { GivenColumns } from '#db/row-statements.ts';
import type { Tables } from '#db/tables.ts';
import { MOVED } from '#start/moved.ts';
import { MoveError } from './move-error.ts';

/** A table as both databases have it. Names of columns are quoted. */
export interface TableShape {
  name: string;
  columns: GivenColumns;
  /** Columns of the primary key, in its order. */
  key: string[];
  /** Rows that are moved, as a condition; others belong to one database. */
  moved: string | undefined;
}

/** A part of a table, by keys: above `after` and up to `upTo`. */
export interface KeyRange {
  after?: Key | undefined;
  upTo?: Key | undefined;
}

export type Key = readonly (string | number)[];

/** Running processes, and what the move itself keeps. */
const unmoved = /^(?:nodes|kysely_.*|sqlite_.*|move_.*)$/;

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  /** Position in the primary key; 0: not part of it. */
  position: number;
}

const columnsOfSqlite = `
  select m.name as "table", p.name, p.type, p.pk as position
  from sqlite_master m, pragma_table_info(m.name) p where m.type = 'table' order by m.name, p.cid`;

const columnsOfPostgres = `
  select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
    coalesce((select array_position(i.indkey::smallint[], a.attnum) + 1 from pg_index i
      where i.indrelid = coalesce(part.inhrelid, c.oid) and i.indisprimary), 0) as position
  from pg_class c join pg_attribute a on a.attrelid = c.oid
    -- Partitions have the same columns, and the key that the whole does without.
    left join lateral (select inhrelid from pg_inherits where inhparent = c.oid limit 1) part on c.relkind = 'p'
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** All tables that are moved, by name. Throws `MoveError` for one that cannot be. */
export async function shapesOf(db: Kysely<Tables>): Promise<Map<string, TableShape>> {
  const text = isPostgres(db) ? columnsOfPostgres : columnsOfSqlite;
  const { rows } = await sql<ColumnRow>`${sql.raw(text)}`.execute(db);
  const byTable = Map.groupBy(
    rows.filter(({ table }) => !unmoved.test(table)),
    ({ table }) => table,
  );
  return new Map(
    [...byTable].map(([name, columns]) => {
      const key = columns.filter(({ position }) => position > 0).toSorted((a, b) => a.position - b.position);
      if (key.length === 0) throw new MoveError(`The table ${name} has no primary key.`);
      return [
        name,
        {
          name,
          columns: Object.fromEntries(columns.map((column) => [quoted(column.name), kindOf(column)])),
          key: key.map((column) => quoted(column.name)),
          moved: name === 'options' ? `t."key" <> '${MOVED}'` : undefined,
        },
      ];
    }),
  );
}

export const quoted = (name: string): string => `"${name}"`;

function kindOf({ table, name, type }: ColumnRow): GivenColumns[string] {
  const lower = type.toLowerCase();
  if (/^(?:small|big)?int(?:eger)?$/.test(lower)) return 'bigint';
  if (lower === 'text' || lower === 'boolean' || lower === 'json' || lower === 'double precision') return lower;
  throw new MoveError(`The column ${table}.${name} has the type ${type}, which is not known here.`);
}

/** The condition of a part, with its values. The table is called `t`. */
export function whereOf(
  { columns, key, moved }: TableShape,
  { after, upTo }: KeyRange,
  onPostgres: boolean,
): { text: string; values: (string | number)[] } {
  const values: (string | number)[] = [];
  const given = (of: Key) => of.map((value) => `$${values.push(value)}`);
  const conditions = moved === undefined ? [] : [moved];
  const names = orderOf({ columns, key }, onPostgres);
  const [first] = names;
  for (const [bound, sign] of [
    [after, '>'],
    [upTo, '<='],
  ] as const) {
    if (!bound) continue;
    const places = given(bound);
    conditions.push(`(${names.join(', ')}) ${sign} (${places.join(', ')})`);
    // PostgreSQL finds the beginning in an index of another collation by this.
    if (places.length > 1) conditions.push(`${first} ${sign[0]}= ${places[0]}`);
  }
  return { text: conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`, values };
}

/** The key, in an order that both databases share. */
export const orderOf = ({ columns, key }: Pick<TableShape, 'columns' | 'key'>, onPostgres: boolean): string[] =>
  key.map((name) => `t.${name}${onPostgres && columns[name] === 'text' ? ' collate "C"' : ''}`);
