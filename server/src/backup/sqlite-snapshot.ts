import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { asError } from '#caught-error.ts';
import { BackupError } from './backup-error.ts';
import { foreignInSqlite, refuseForeign } from './foreign-objects.ts';
import type { DatabaseFacts, Snapshot } from './snapshot.ts';

/** Pages copied between two reports of progress. */
const PAGES_AT_ONCE = 1024;

/**
 * Copies a database in use with SQLite's online backup, within one read transaction: writers continue, and the copy is as
 * of the moment at which `onSnapshot` is called.
 */
export async function snapshotSqlite(
  file: string,
  to: string,
  { onSnapshot, progress }: { onSnapshot: () => void; progress: (done: number) => void },
): Promise<Snapshot> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    source.exec('begin');
    const facts = factsOf(source);
    refuseForeign(
      source
        .prepare(foreignInSqlite)
        .all()
        .map(({ name }) => String(name)),
    );
    onSnapshot();
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => progress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages),
    });
    chmodSync(to, 0o600);
    return { ...facts, database: 'sqlite', serverVersion: '', dumpVersion: '' };
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`The database could not be copied: ${asError(error).message}.`);
  } finally {
    source.close();
  }
}

/** Reads what a manifest says about a database. */
export function factsOf(db: DatabaseSync): DatabaseFacts {
  const option = (key: string): string => {
    const row = db.prepare('select value from options where key = ?').get(key);
    return typeof row?.['value'] === 'string' ? row['value'] : '';
  };
  return {
    schema: db
      .prepare('select name from kysely_migration order by timestamp, name')
      .all()
      .map((row) => String(row['name'])),
    databaseId: option('database-id'),
    keyCheck: option('data-key-check'),
  };
}
