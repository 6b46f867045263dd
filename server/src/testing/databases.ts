import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { describe, inject } from 'vitest';

/** A new, empty database, as the configuration names it. */
export interface EmptyDatabase {
  dataDir: string;
  databaseUrl: string | undefined;
  remove(): Promise<void>;
}

export type MakeDatabase = () => Promise<EmptyDatabase>;

const dataDir = (): string => mkdtempSync(path.join(tmpdir(), 'relay-hub-test-'));

const emptySqlite: MakeDatabase = async () => {
  const folder = dataDir();
  return {
    dataDir: folder,
    databaseUrl: undefined,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
};

const emptyPostgres =
  (server: string): MakeDatabase =>
  async () => {
    const folder = dataDir();
    const name = `test_${randomBytes(6).toString('hex')}`;
    const run = async (statement: string) => {
      const client = new pg.Client({ connectionString: server });
      await client.connect();
      await client.query(statement);
      await client.end();
    };
    await run(`create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    return {
      dataDir: folder,
      databaseUrl: url.href,
      remove: async () => {
        await run(`drop database ${name} with (force)`);
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
