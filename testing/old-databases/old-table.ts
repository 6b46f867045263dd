import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** A column's type in the databases of the product family; the number is the length of `char`. */
export type OldColumn = 'id' | 'int' | 'real' | 'decimal' | 'text' | 'bool' | 'json' | 'time' | 'blob' | number;

/** A table of an old program, with the columns that tests need. Blobs are given in hexadecimal. */
export interface OldTable {
  name: string;
  columns: Record<string, OldColumn>;
  rows: Record<string, string | number | boolean | null>[];
}

type Dialect = 'sqlite' | 'postgres' | 'mysql';

const types: Record<Dialect, Record<Exclude<OldColumn, number>, string>> = {
  sqlite: {
    id: 'integer primary key autoincrement',
    int: 'integer',
    real: 'real',
    decimal: 'decimal(10,2)',
    text: 'text',
    bool: 'numeric',
    json: 'json',
    time: 'datetime',
    blob: 'blob',
  },
  postgres: {
    id: 'bigserial primary key',
    int: 'bigint',
    real: 'decimal',
    decimal: 'decimal(10,2)',
    text: 'text',
    bool: 'boolean',
    json: 'json',
    time: 'timestamptz',
    blob: 'bytea',
  },
  mysql: {
    id: 'bigint auto_increment primary key',
    int: 'bigint',
    real: 'double',
    decimal: 'decimal(10,2)',
    text: 'longtext',
    bool: 'boolean',
    json: 'json',
    time: 'datetime(3) null',
    blob: 'longblob',
  },
};

function statements(tables: readonly OldTable[], dialect: Dialect): string[] {
  const quote = (name: string): string => (dialect === 'postgres' ? `"${name}"` : `\`${name}\``);
  const literal = (value: string | number | boolean | null, column: OldColumn): string => {
    if (value === null) return 'null';
    if (typeof value === 'boolean') return dialect === 'sqlite' ? String(Number(value)) : String(value);
    if (typeof value === 'number') return String(value);
    if (column === 'blob') return dialect === 'postgres' ? `'\\x${value}'` : `x'${value}'`;
    // A statement ends at NUL.
    if (value.includes('\0')) return `cast(x'${Buffer.from(value).toString('hex')}' as text)`;
    const text = dialect === 'mysql' ? value.replaceAll('\\', '\\\\') : value;
    // MySQL takes no zone.
    const plain = column === 'time' && dialect === 'mysql' ? text.slice(0, 19) : text;
    return `'${plain.replaceAll("'", "''")}'`;
  };
  return tables.flatMap(({ name, columns, rows }) => {
    const names = Object.keys(columns);
    const defined = names.map((each) => {
      const type = columns[each] ?? 'text';
      return `${quote(each)} ${typeof type === 'number' ? `char(${type})` : types[dialect][type]}`;
    });
    return [
      `create table ${quote(name)} (${defined.join(', ')})`,
      ...rows.map(
        (row) =>
          `insert into ${quote(name)} (${Object.keys(row).map(quote).join(', ')}) values (${Object.entries(row)
            .map(([column, value]) => literal(value, columns[column] ?? 'text'))
            .join(', ')})`,
      ),
    ];
  });
}

export function writeOldSqlite(file: string, tables: readonly OldTable[]): void {
  const database = new DatabaseSync(file);
  // One transaction: otherwise each row waits for the disk.
  database.exec('begin');
  for (const statement of statements(tables, 'sqlite')) database.exec(statement);
  database.exec('commit');
  database.close();
}

export async function writeOldPostgres(url: string, tables: readonly OldTable[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements(tables, 'postgres')) await client.query(statement);
  await client.end();
}

export async function writeOldMysql(url: string, tables: readonly OldTable[]): Promise<void> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri: url, charset: 'utf8mb4' });
  for (const statement of statements(tables, 'mysql')) await connection.query(statement);
  await connection.end();
}
