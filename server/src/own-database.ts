import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Kysely } from 'kysely';
import { MigrationError } from './db/migrate.ts';
import type { Tables } from './db/tables.ts';

const KEY = 'database-id';
const FILE = 'database.id';

/**
 * Throws `MigrationError` when DATA_DIR was used with another database, as when DATABASE_URL was lost or a file was moved:
 * what calls owe the other one lies in its journals, and an empty database would be taken for a first start. To be asked
 * before anything is made in the database.
 */
export async function checkDatabase(db: Kysely<Tables>, dataDir: string): Promise<void> {
  const kept = keptId(dataDir);
  if (kept === undefined) return;
  const tables = await db.introspection.getTables();
  // A copy from before databases had ids holds something, and will do.
  const known = tables.some(({ name }) => name === 'options') ? ((await idOf(db)) ?? kept) : undefined;
  if (known !== kept) throw otherDatabase(dataDir);
}

/** Notes which database DATA_DIR belongs to. Throws as `checkDatabase` does. */
export async function keepDatabase(db: Kysely<Tables>, dataDir: string): Promise<void> {
  await db
    .insertInto('options')
    .values({ key: KEY, value: keptId(dataDir) ?? randomUUID() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const id = await idOf(db);
  try {
    writeFileSync(path.join(dataDir, FILE), `${id}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (keptId(dataDir) !== id) throw otherDatabase(dataDir);
  }
}

async function idOf(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db.selectFrom('options').where('key', '=', KEY).select('value').executeTakeFirst();
  return row?.value;
}

function keptId(dataDir: string): string | undefined {
  try {
    return readFileSync(path.join(dataDir, FILE), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const otherDatabase = (dataDir: string): MigrationError =>
  new MigrationError(
    `${dataDir} (DATA_DIR) belongs to another database than the one at hand. Was DATABASE_URL lost or changed, or ` +
      `relay-hub.db moved away? Nothing was written. To begin with this database, use another DATA_DIR, or remove ` +
      `${FILE} from this one.`,
  );
