/** Where a backup is restored to. */
export interface RestoreTarget {
  dataDir: string;
  /** An empty PostgreSQL database; undefined: SQLite in the folder. */
  databaseUrl: string | undefined;
  /** The operator's SECRET_KEY; undefined: the key is in the archive or in the folder. */
  secretKey: string | undefined;
}
