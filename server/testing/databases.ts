import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, inject } from 'vitest';
import { onNewPostgres } from './new-postgres.ts';

/** A new, empty database with its configuration. */
export interface EmptyDatabase {
  dataDir: string;
  databaseUrl: string | undefined;
  remove(): Promise<void>;
}

export type MakeDatabase = () => Promise<EmptyDatabase>;

const dataDir = (): string => mkdtempSync(path.join(tmpdir(), 'relay-hub-test-'));

export const emptySqlite: MakeDatabase = async () => {
  const folder = dataDir();
  return {
    dataDir: folder,
    databaseUrl: undefined,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
};

export const emptyPostgres =
  (server: string): MakeDatabase =>
  async () => {
    const folder = dataDir();
    const made = await onNewPostgres(server, `test_${randomBytes(6).toString('hex')}`);
    return {
      dataDir: folder,
      databaseUrl: made.url,
      remove: async () => {
        await made.drop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };

/** Runs a suite on SQLite and on PostgreSQL. */
export function onEveryDatabase(name: string, suite: (make: MakeDatabase) => void): void {
  describe(`${name} (SQLite)`, () => suite(emptySqlite));
  const postgres = inject('postgresUrl');
  describe.skipIf(postgres === '')(`${name} (PostgreSQL)`, () => suite(emptyPostgres(postgres)));
}
