import { codeOf } from '#caught-error.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Kysely } from 'kysely';
import { MigrationError } from '#db/migrate.ts';
import type { Tables } from '#db/tables.ts';
import { keepInstead, keepOnce } from '#process/atomic-file.ts';
import { journalFolder, nodesWithJournals } from '#quota/journal.ts';

/** Option with the id of a database; a copy has the same. */
export const DATABASE_ID = 'database-id';
const FILE = 'database.id';

/**
 * Throws `MigrationError` if DATA_DIR was used with another database, for example when DATABASE_URL was lost or a file
 * moved. Open calls of the other database are in its journals, and an empty database would look like a first start.
 * Call it before anything is created in the database.
 */
export async function checkDatabase(
  db: Kysely<Tables>,
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl: string | undefined },
): Promise<void> {
  const kept = keptId(dataDir);
  if (kept === undefined) return;
  const tables = await db.introspection.getTables();
  const isEmpty = !tables.some(({ name }) => name === 'options');
  // An interrupted first start leaves a truncated file and an empty database, without open calls.
  if (isEmpty && !isWhole(kept) && nodesWithJournals(journalFolder(dataDir)).length === 0) return;
  // A backup from before databases had ids is not empty, and is accepted.
  if (isEmpty && isWhole(kept))
    throw emptyDatabase(dataDir, databaseUrl === undefined ? 'relay-hub.db' : 'The database at DATABASE_URL');
  const known = isEmpty ? undefined : ((await databaseIdOf(db)) ?? kept);
  if (known === undefined || !isOf(known, kept)) throw otherDatabase(dataDir, kept);
}

/** Records which database DATA_DIR belongs to. Throws as `checkDatabase` does. */
export async function keepDatabase(db: Kysely<Tables>, dataDir: string): Promise<void> {
  const before = keptId(dataDir);
  await db
    .insertInto('options')
    .values({ key: DATABASE_ID, value: before !== undefined && isWhole(before) ? before : randomUUID() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const id = await databaseIdOf(db);
  if (id === undefined) throw new Error('the database has no id after it was inserted');
  const file = path.join(dataDir, FILE);
  if (keepOnce(file, `${id}\n`)) return;
  const kept = keptId(dataDir) ?? '';
  if (kept === id) return;
  if (isWhole(kept) || !isOf(id, kept)) throw otherDatabase(dataDir, kept);
  keepInstead(file, `${id}\n`);
}

const isWhole = (kept: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(kept);

/** Whether a file belongs to a database; a crash may have truncated it. */
const isOf = (id: string, kept: string): boolean => (isWhole(kept) ? id === kept : id.startsWith(kept));

/** The id of a database; undefined: no server has used it. */
export async function databaseIdOf(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db.selectFrom('options').where('key', '=', DATABASE_ID).select('value').executeTakeFirst();
  return row?.value;
}

function keptId(dataDir: string): string | undefined {
  try {
    // After a power failure during the write, a file may contain zeros.
    return readFileSync(path.join(dataDir, FILE), 'utf8').replaceAll('\0', '').trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const emptyDatabase = (dataDir: string, database: string): MigrationError =>
  new MigrationError(
    `${database} is empty, but ${dataDir} (DATA_DIR) was used with a database that was not. Was the database moved away ` +
      `or replaced, was DATABASE_URL lost or changed, or was relay-hub.db copied without the relay-hub.db-wal file that ` +
      `held its contents? Nothing was written. Put the database back, or use another DATA_DIR to begin with an empty one.`,
  );

const otherDatabase = (dataDir: string, kept: string): MigrationError =>
  new MigrationError(
    `${dataDir} (DATA_DIR) belongs to another database than the one at hand. Was DATABASE_URL lost or changed, or ` +
      `relay-hub.db moved away? Nothing was written. To begin with this database, use another DATA_DIR, or remove ` +
      `${FILE} from this one.${isWhole(kept) ? '' : ` (${FILE} is damaged: it holds no whole id.)`}`,
  );
