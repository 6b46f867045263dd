import pg from 'pg';

/** Creates a database on a PostgreSQL server, empty or as a copy of another one. */
export async function onNewPostgres(
  server: string,
  name: string,
  copied = 'template1',
): Promise<{ url: string; drop(): Promise<void> }> {
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  await run(`create database ${name} template ${copied}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) };
}
