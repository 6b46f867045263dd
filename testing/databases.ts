import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, inject } from 'vitest';
import { onNewPostgres } from './new-postgres.ts';

/** A new database with its configuration. */
export interface EmptyDatabase {
  dataDir: string;
  databaseUrl: string | undefined;
  remove(): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server for tests; empty if there is none. */
    postgresUrl: string;
    /** Name of a migrated database on that server, to be copied. */
    migratedPostgres: string;
    /** Data folder with a migrated SQLite file, to be copied. */
    migratedSqlite: string;
    /** Which of the two runs this is; `any` when Vitest was started by hand. */
    level: 'short' | 'long' | 'any';
  }
}

export type MakeDatabase = () => Promise<EmptyDatabase>;

const newFolder = (): string => mkdtempSync(path.join(tmpdir(), 'relay-hub-test-'));

const onSqlite =
  (fill: (folder: string) => void): MakeDatabase =>
  async () => {
    const dataDir = newFolder();
    fill(dataDir);
    return { dataDir, databaseUrl: undefined, remove: async () => rmSync(dataDir, { recursive: true, force: true }) };
  };

const onPostgres =
  (server: string, copied?: string): MakeDatabase =>
  async () => {
    const dataDir = newFolder();
    const made = await onNewPostgres(server, `test_${randomBytes(6).toString('hex')}`, copied);
    return {
      dataDir,
      databaseUrl: made.url,
      remove: async () => {
        await made.drop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  };

/** No database file yet, for tests of first starts and of other databases than ours. */
export const emptySqlite: MakeDatabase = onSqlite(() => {});

/** An empty database on a server. */
export const emptyPostgresOn = (server: string): MakeDatabase => onPostgres(server);

export const emptyPostgres: MakeDatabase = () => onPostgres(inject('postgresUrl'))();

/** The tables of this build without rows: a copy, because migrations would take most of a start. */
export const newSqlite: MakeDatabase = onSqlite((folder) =>
  cpSync(inject('migratedSqlite'), folder, { recursive: true }),
);

/** The same on the PostgreSQL of the tests. */
export const newPostgres: MakeDatabase = () => onPostgres(inject('postgresUrl'), inject('migratedPostgres'))();

/** Runs a suite on SQLite and on PostgreSQL: for suites whose subject is SQL. */
export const onEveryDatabase = (name: string, suite: (make: MakeDatabase) => void): void =>
  onBoth(name, suite, newSqlite, newPostgres);

/** The same on databases without tables. */
export const onEveryEmptyDatabase = (name: string, suite: (make: MakeDatabase) => void): void =>
  onBoth(name, suite, emptySqlite, emptyPostgres);

function onBoth(name: string, suite: (make: MakeDatabase) => void, sqlite: MakeDatabase, postgres: MakeDatabase): void {
  describe(`${name} (SQLite)`, () => suite(sqlite));
  describe.skipIf(inject('postgresUrl') === '')(`${name} (PostgreSQL)`, () => suite(postgres));
}

/** Runs a suite that happens to need a database: on SQLite, or in the long run on PostgreSQL instead. */
export function onOneDatabase(name: string, suite: (make: MakeDatabase) => void): void {
  const isLong = inject('level') === 'long';
  const [kind, make] = isLong ? (['PostgreSQL', newPostgres] as const) : (['SQLite', newSqlite] as const);
  describe.skipIf(isLong && inject('postgresUrl') === '')(`${name} (${kind})`, () => suite(make));
}
