import * as z from 'zod/mini';

/** First entry of an archive. */
export const MANIFEST = 'manifest.json';
/** Last entry: the hashes of all others, as `sha256sum -c` reads them. An archive without it was cut. */
export const SUMS = 'SHA256SUMS';
export const SQLITE_FILE = 'relay-hub.db';
export const DUMP_FILE = 'database.dump';
export const KEY_FILE = 'secret.key';
export const ID_FILE = 'database.id';

/** The only names in an archive; they are also their places below DATA_DIR, except for the first two and the dump. */
export const entryName =
  /^(?:manifest\.json|SHA256SUMS|relay-hub\.db|database\.dump|database\.id|secret\.key|journal\/[\w.-]+\.(?:calls|journal|jsonl)|media\/\d{4}-\d{2}\/[\w-]+\.\w+)$/;

export const manifest = z.object({
  product: z.literal('relay-hub'),
  /** Version of the archive's layout. */
  format: z.literal(1),
  /** Version of the program, as in `/api/status`. */
  version: z.string(),
  /** Unix seconds of the snapshot. */
  created_time: z.int(),
  database: z.enum(['sqlite', 'postgres']),
  database_id: z.string(),
  /** Versions of the server and of `pg_dump`; empty for SQLite. */
  server_version: z.string(),
  dump_version: z.string(),
  /** Migrations of the database, in order. */
  schema: z.array(z.string()),
  /** A known text, encrypted with the data key of this database; empty: none is stored. */
  key_check: z.string(),
});
export type Manifest = z.infer<typeof manifest>;
