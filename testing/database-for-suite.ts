import { afterAll, beforeAll } from 'vitest';
import type { Kysely } from 'kysely';
import type { Storage } from '#db/open.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import type { EmptyDatabase, MakeDatabase } from './databases.ts';

/** A database without a server for a suite, removed afterwards. */
export function databaseForSuite(make: MakeDatabase): () => Kysely<Tables> {
  let storage: Storage;
  let database: EmptyDatabase;
  beforeAll(async () => {
    database = await make();
    storage = openStorage(database);
  }, 60_000);
  afterAll(async () => {
    await storage?.close();
    await database?.remove();
  });
  return () => storage.db;
}

/** Sets the time zone for a suite. */
export function timeZoneForSuite(name: string): void {
  const before = process.env['TZ'];
  beforeAll(() => {
    process.env['TZ'] = name;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}
