import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
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
export async function openSqliteSource(file: string): Promise<OldDatabase> {
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
