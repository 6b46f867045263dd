/** The part of a manifest about a database. */
export interface DatabaseFacts {
  schema: string[];
  databaseId: string;
  keyCheck: string;
}

/** A copy of a database was written. */
export interface Snapshot extends DatabaseFacts {
  database: 'sqlite' | 'postgres';
  serverVersion: string;
  dumpVersion: string;
}
