import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { RowDataPacket } from 'mysql2/promise';
import { asError } from '#caught-error.ts';
import type { OldRow } from '../old-row.ts';
import { databaseOf, type OldDatabase, OldDatabaseError } from './old-database.ts';

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function headerOf(file: string): string {
  const bytes = Buffer.alloc(15);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, bytes);
  closeSync(descriptor);
  return bytes.toString('latin1');
}

/** Opens an SQLite file read-only. Committed rows in its `-wal` file are read, too. */
async function openSqliteSource(file: string): Promise<OldDatabase> {
  if (!existsSync(file)) throw new OldDatabaseError(`There is no file ${file}.`);
  if (headerOf(file) !== 'SQLite format 3') throw new OldDatabaseError(`${file} is not an SQLite database.`);
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    database.exec('begin');
  } catch (error) {
    throw new OldDatabaseError(`${file} cannot be read: ${asError(error).message}.`);
  }
  const query = async (sql: string, after?: number): Promise<OldRow[]> => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return after === undefined ? statement.all() : statement.all(after);
  };
  const columns = database
    .prepare(
      `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' and m.name not like 'sqlite_%'`,
    )
    .all() as { table: string; column: string }[]; // the two columns of the query
  return databaseOf({ quote, query, close: async () => database.close() }, columns);
}

/** Opens the old database read-only: a file, or a `mysql://` or `postgres://` address. Throws `OldDatabaseError`. */
export function openSource(from: string): Promise<OldDatabase> {
  if (/^(mysql|mariadb):\/\//i.test(from)) return openMysqlSource(from.replace(/^mariadb:/i, 'mysql:'));
  if (/^postgres(ql)?:\/\//i.test(from)) return openPostgresSource(from);
  if (/^[a-z]+:\/\//i.test(from)) throw new OldDatabaseError('The address must begin with mysql:// or postgres://.');
  return openSqliteSource(from);
}

/** Opens a MySQL or MariaDB database in a read-only transaction. */
async function openMysqlSource(address: string): Promise<OldDatabase> {
  // Loaded only here: the server itself does without it.
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({
    uri: address,
    connectTimeout: 10_000,
    // Large numbers and times as text: neither is rounded, nor moved to another zone.
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    charset: 'utf8mb4',
  }).catch((error: unknown) => {
    throw new OldDatabaseError(`The MySQL database cannot be read: ${asError(error).message}.`);
  });
  const query = async (sql: string, after?: number): Promise<OldRow[]> => {
    const [rows] = await connection.query<RowDataPacket[]>(sql, after === undefined ? [] : [after]);
    return rows;
  };
  await query('set transaction isolation level repeatable read');
  await query('start transaction with consistent snapshot, read only');
  const columns = await query(
    'select table_name as `table`, column_name as `column` from information_schema.columns where table_schema = database()',
  );
  return databaseOf(
    { quote: (name) => `\`${name}\``, query, close: () => connection.end() },
    columns as { table: string; column: string }[], // the two columns of the query
  );
}

/** Opens a PostgreSQL database in a read-only transaction. */
async function openPostgresSource(address: string): Promise<OldDatabase> {
  const { default: driver } = await import('pg');
  // Numbers stay text: rows with numbers too large to be exact are refused.
  const types = { getTypeParser: () => (text: string) => text };
  const client = new driver.Client({ connectionString: address, types, connectionTimeoutMillis: 10_000 });
  // A lost connection rejects the query that waits for it.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin transaction isolation level repeatable read read only');
  } catch (error) {
    await client.end().catch(() => {});
    throw new OldDatabaseError(`The PostgreSQL database cannot be read: ${asError(error).message}.`);
  }
  const query = async (sql: string, after?: number): Promise<OldRow[]> =>
    (await client.query<OldRow>(sql.replace('?', '$1'), after === undefined ? [] : [after])).rows;
  const columns = await query(
    `select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = current_schema()`,
  );
  return databaseOf(
    { quote: (name) => `"${name}"`, query, close: () => client.end() },
    columns as { table: string; column: string }[], // the two columns of the query
  );
}
