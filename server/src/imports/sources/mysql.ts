import type { RowDataPacket } from 'mysql2/promise';
import { asError } from '#caught-error.ts';
import type { OldRow } from '../old-row.ts';
import { databaseOf, type OldDatabase, OldDatabaseError } from './old-database.ts';

/** Opens a MySQL or MariaDB database in a read-only transaction. */
export async function openMysqlSource(address: string): Promise<OldDatabase> {
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
