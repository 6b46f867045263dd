import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import * as firstPath from './migrations/0001-first-path.ts';
import type { Tables } from './tables.ts';

/** In order; what has run once is never edited. */
const migrations: Record<string, Migration> = {
  '0001-first-path': firstPath,
};

/** The database is not one that this build can use. Nothing was changed. */
export class MigrationError extends Error {}

/** Brings the database up to this build, or throws `MigrationError` saying why it must not be touched. Returns what ran. */
export async function migrate(db: Kysely<Tables>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new MigrationError(
      `The database cannot be brought up to date (${reason}). It was written by a newer version, or by another program; nothing in it was replaced.`,
    );
  }
  return (results ?? []).filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName);
}
