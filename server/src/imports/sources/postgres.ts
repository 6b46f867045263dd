import { asError } from '#caught-error.ts';
import type { OldRow } from '../old-row.ts';
import { databaseOf, type OldDatabase, OldDatabaseError } from './old-database.ts';

/** Opens a PostgreSQL database in a read-only transaction. */
export async function openPostgresSource(address: string): Promise<OldDatabase> {
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
