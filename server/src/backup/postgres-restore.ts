import pg from 'pg';
import { BackupError } from './backup-error.ts';
import { foreignInDump, refuseForeign } from './foreign-objects.ts';
import type { Manifest } from './manifest.ts';
import { serverVersionOf } from './postgres-snapshot.ts';
import { findTool, listDump, majorOf, runTool } from './postgres-tools.ts';

/**
 * Fills an empty database from a dump, in one transaction. Throws `BackupError` if the database has tables, or if server
 * or program are older than those of the dump.
 */
export async function restorePostgres(
  url: string,
  { server_version: source, dump_version: dumped }: Manifest,
  dump: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
    );
    if (rows.length > 0)
      throw new BackupError(
        `The database at DATABASE_URL is not empty: it has ${rows.length} tables. Restore into a new one; the present one stays as it is.`,
      );
    const server = await serverVersionOf(client);
    if (majorOf(server) < majorOf(source))
      throw new BackupError(
        `The backup is of PostgreSQL ${source}, and the server has version ${server}. Restore into version ${majorOf(source)} or newer.`,
      );
    const tool = await findTool('pg_restore', dumped, 'the pg_dump of the backup');
    refuseForeign(foreignInDump(await listDump(tool, dump)));
    await runTool(tool, url, ['--exit-on-error', '--single-transaction', '--no-owner', '--no-privileges', dump]);
    // Those processes ran on the other database.
    await client.query('delete from nodes');
  } finally {
    await client.end();
  }
}
