import type { RowLock, RunStatement, SqlRow } from './transaction-script.ts';

/** Rows of values, in the order of their columns. */
export type GivenRows = readonly (readonly (string | number | boolean | null | undefined)[])[];

/** The columns of given rows, with their types in PostgreSQL. */
export type GivenColumns = Readonly<
  Record<string, 'bigint' | 'integer' | 'double precision' | 'text' | 'boolean' | 'json'>
>;

/**
 * One statement for many given rows. PostgreSQL, where each statement is a round trip, takes all rows at once; SQLite,
 * where binding costs more than a statement, takes them one by one. Both texts come from the same words.
 */
export interface RowStatement {
  /** Values of one row as `$1`, `$2` … */
  one: string;
  /** Values of one column each, as arrays in PostgreSQL's text form. */
  all: string;
  width: number;
}

/** Inserts the rows in their order. `conflict`: the clause `on conflict …`. */
export function insertRows(table: string, columns: GivenColumns, conflict = ''): RowStatement {
  const names = Object.keys(columns);
  const into = `insert into ${table} (${names.join(', ')})`;
  return {
    one: `${into} values (${names.map((_, at) => `$${at + 1}`).join(', ')}) ${conflict}`,
    all: `${into} select * from ${givenAll(columns)} ${conflict}`,
    width: names.length,
  };
}

/** Updates the rows of a table. `set` and `where` name the values as `given.column`. */
export function updateRows(table: string, columns: GivenColumns, set: string, where: string): RowStatement {
  return {
    one: ofOne(`update ${table} set ${set} where ${where}`, columns),
    all: `update ${table} set ${set} from ${givenAll(columns)} where ${where}`,
    width: Object.keys(columns).length,
  };
}

export function deleteRows(table: string, columns: GivenColumns, where: string): RowStatement {
  return {
    one: ofOne(`delete from ${table} where ${where}`, columns),
    all: `delete from ${table} using ${givenAll(columns)} where ${where}`,
    width: Object.keys(columns).length,
  };
}

/**
 * Selects the rows of a table that match one of the given rows. With `order`, PostgreSQL locks them in that order, so
 * that transactions which lock several rows cannot wait for each other.
 */
export function selectRows(
  table: string,
  columns: GivenColumns,
  { select, where, order }: { select: string; where: string; order?: string },
): RowStatement {
  const locked = order === undefined ? '' : ` order by ${order} for update of ${table}`;
  return {
    one: ofOne(`select ${select} from ${table} where ${where}`, columns),
    all: `select ${select} from ${table}, ${givenAll(columns)} where ${where}${locked}`,
    width: Object.keys(columns).length,
  };
}

function ofOne(text: string, columns: GivenColumns): string {
  const places = new Map(Object.keys(columns).map((name, at) => [name, `$${at + 1}`]));
  return text.replaceAll(/\bgiven\.(\w+)/g, (_, name: string) => {
    const place = places.get(name);
    if (place === undefined) throw new Error(`no value is given for ${name} in: ${text}`);
    return place;
  });
}

function givenAll(columns: GivenColumns): string {
  const types = Object.values(columns).map((type, at) => `$${at + 1}::${type}[]`);
  return `unnest(${types.join(', ')}) as given(${Object.keys(columns).join(', ')})`;
}

/** Runs statements over rows inside a transaction script. */
export class RowStatements {
  readonly #query: RunStatement;
  /** Whether one statement takes all rows; then every row that a transaction needs should be asked for at once. */
  readonly takesAll: boolean;

  constructor(query: RunStatement, lock: RowLock) {
    this.#query = query;
    this.takesAll = lock !== '';
  }

  /** Sends the statement at once; reads that do not depend on each other can share a round trip. */
  async read<Row extends SqlRow>(statement: RowStatement, rows: GivenRows): Promise<Row[]> {
    if (rows.length === 0) return [];
    if (this.takesAll) return this.#query<Row>(statement.all, columnsOf(statement, rows));
    const found: Row[] = [];
    for (const row of rows) found.push(...(await this.#query<Row>(statement.one, row)));
    return found;
  }

  /**
   * Writes without waiting for the result. The transaction does not commit unless all of its statements have succeeded.
   */
  write(statement: RowStatement, rows: GivenRows): void {
    if (rows.length === 0) return;
    if (this.takesAll) void this.#query(statement.all, columnsOf(statement, rows));
    else for (const row of rows) void this.#query(statement.one, row);
  }
}

function columnsOf({ width }: RowStatement, rows: GivenRows): string[] {
  return Array.from({ length: width }, (_, at) => arrayText(rows, at));
}

/** One column as an array of PostgreSQL. As text, because nothing can then fail between two statements of a pipeline. */
function arrayText(rows: GivenRows, at: number): string {
  let text = '{';
  for (const row of rows) {
    const value = row[at];
    if (text.length > 1) text += ',';
    if (value === null || value === undefined) text += 'NULL';
    else if (typeof value === 'string') text += `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    else text += String(value);
  }
  return `${text}}`;
}
