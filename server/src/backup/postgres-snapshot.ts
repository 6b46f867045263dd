import pg from 'pg';
import { BackupError } from './backup-error.ts';
import { foreignInPostgres, refuseForeign } from './foreign-objects.ts';
import { findTool, runTool } from './postgres-tools.ts';
import type { DatabaseFacts, Snapshot } from './snapshot.ts';

/** Copies a database in use with `pg_dump`, as of the moment at which `onSnapshot` is called. Throws `BackupError`. */
export async function snapshotPostgres(url: string, to: string, onSnapshot: () => void): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const serverVersion = await serverVersionOf(client);
    const tool = await findTool('pg_dump', serverVersion, 'the server');
    await client.query('begin isolation level repeatable read read only');
    // Keeps months of the log from being dropped before pg_dump has locked them.
    await client.query('lock table logs in access share mode');
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const facts = await factsOfPostgres(client);
    const foreign = await client.query<{ name: string }>(foreignInPostgres);
    refuseForeign(foreign.rows.map(({ name }) => name));
    onSnapshot();
    await runTool(tool, url, [
      '--format=custom',
      // The archive is compressed.
      '--compress=0',
      '--no-owner',
      '--no-privileges',
      `--snapshot=${rows[0]?.id ?? ''}`,
      `--file=${to}`,
    ]);
    return { ...facts, database: 'postgres', serverVersion, dumpVersion: tool.version };
  } finally {
    await client.end();
  }
}

/** Such as `17.2`. */
export async function serverVersionOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const version = /^\d+(?:\.\d+)?/.exec(rows[0]?.server_version ?? '')?.[0];
  if (version === undefined) throw new BackupError('The version of the PostgreSQL server is unknown.');
  return version;
}

async function factsOfPostgres(client: pg.Client): Promise<DatabaseFacts> {
  const schema = await client.query<{ name: string }>('select name from kysely_migration order by timestamp, name');
  const options = await client.query<{ key: string; value: string }>(
    "select key, value from options where key in ('database-id', 'data-key-check')",
  );
  const option = (key: string): string => options.rows.find((row) => row.key === key)?.value ?? '';
  return {
    schema: schema.rows.map(({ name }) => name),
    databaseId: option('database-id'),
    keyCheck: option('data-key-check'),
  };
}
