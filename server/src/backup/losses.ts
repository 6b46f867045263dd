import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { asError } from '#caught-error.ts';
import { openStorage } from '#db/open.ts';
import type { Tables } from '#db/tables.ts';
import { livingNodes } from '#jobs/open-calls.ts';
import { journalFolder, nodesWithJournals, readJournal } from '#quota/journal.ts';
import { BackupError } from './backup-error.ts';
import { ID_FILE, type Manifest, SQLITE_FILE } from './manifest.ts';
import type { RestoreTarget } from './restore-target.ts';

/** Tables whose later rows an operator misses, and what they are called. Every change by an administrator has an audit entry. */
const counted = {
  users: 'users',
  tokens: 'tokens',
  channels: 'channels',
  ledger: 'ledger entries',
  logs: 'log rows',
  orders: 'orders',
  audit: 'audit entries',
} as const;
type Counted = keyof typeof counted;

/**
 * Contents of a folder that the backup lacks, one line each; empty if nothing would be lost. Throws `BackupError` while
 * a process uses it.
 */
export async function lossesOf(
  { dataDir, databaseUrl }: RestoreTarget,
  { database_id: id }: Manifest,
  restored: string,
): Promise<string[]> {
  const kept = (await readFile(path.join(dataDir, ID_FILE), 'utf8').catch(() => '')).trim(); // a new folder
  const losses = kept !== '' && kept !== id ? [`everything: it is another installation (${ID_FILE} is ${kept})`] : [];
  const unsettled = callsIn(journalFolder(dataDir));
  if (databaseUrl !== undefined) {
    if (unsettled.length > 0) losses.push(`${unsettled.length} calls in its journal`);
    return losses;
  }
  if (!existsSync(path.join(dataDir, SQLITE_FILE))) return losses;
  let storage: ReturnType<typeof openStorage>;
  try {
    storage = openStorage({ databaseUrl: undefined, dataDir });
  } catch (error) {
    return [...losses, `a database that cannot be compared: ${asError(error).message}`];
  }
  try {
    await refuseWhileRunning(storage.db);
    const { db } = storage;
    const ends = await endsIn(restored);
    for (const table of Object.keys(counted) as Counted[]) {
      const more = await rowsAfter(db, table, ends[table]);
      if (more > 0) losses.push(`${more} ${counted[table]}`);
    }
    const missing = await withoutRow(db, unsettled);
    if (missing > 0) losses.push(`${missing} calls in its journal`);
    return losses;
  } catch (error) {
    if (error instanceof BackupError) throw error;
    return [...losses, `a database that cannot be compared: ${asError(error).message}`];
  } finally {
    await storage.close();
  }
}

async function refuseWhileRunning(db: Kysely<Tables>): Promise<void> {
  const isAlive = await livingNodes(db);
  const running = (await db.selectFrom('nodes').selectAll().execute()).filter(isAlive);
  if (running.length === 0) return;
  const names = running.map(({ host, pid }) => `${host.split(' ')[0]} ${pid}`).join(', ');
  throw new BackupError(
    `${running.length} process(es) are running on this database (${names}). Stop them first; a killed process expires after a minute.`,
  );
}

/** The last id of each table of the restored database. */
async function endsIn(file: string): Promise<Record<Counted, number>> {
  const storage = openStorage({ databaseUrl: undefined, dataDir: path.dirname(file) });
  try {
    const ends = (Object.keys(counted) as Counted[]).map(async (table) => {
      const { rows } = await sql<{ id: number | null }>`select max(id) as id from ${sql.table(table)}`.execute(
        storage.db,
      );
      return [table, rows[0]?.id ?? 0] as const;
    });
    return Object.fromEntries(await Promise.all(ends)) as Record<Counted, number>; // one entry per key of `counted`
  } finally {
    await storage.close();
  }
}

async function rowsAfter(db: Kysely<Tables>, table: Counted, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where id > ${id}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Ids of the calls that have ended or not, in journals of a folder. */
function callsIn(folder: string): string[] {
  return nodesWithJournals(folder).flatMap((node) => {
    const { settlements, open } = readJournal(folder, node);
    return [...settlements, ...open].map(({ requestId }) => requestId);
  });
}

const AT_ONCE = 500;

async function withoutRow(db: Kysely<Tables>, ids: readonly string[]): Promise<number> {
  let missing = 0;
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const rows = await db.selectFrom('logs').where('request_id', 'in', some).select('request_id').execute();
    missing += some.length - rows.length;
  }
  return missing;
}
