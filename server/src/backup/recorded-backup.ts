import { hostname } from 'node:os';
import type { BackupCause } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { asError } from '#caught-error.ts';
import { databaseTime } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { pruneBackups, type Retention } from './prune-backups.ts';
import { type BackupOptions, type BackupSource, writeBackup, type WrittenBackup } from './write-backup.ts';

const LOCK = 'running';
const HEARTBEAT_MS = 2_000;
/** A run without a heartbeat for this time has ended with its process. */
const DEAD_AFTER_S = 60;
/** Rows that are kept. */
const KEPT = 200;

/** Who starts a backup, and, for a schedule, its time and attempt. */
export interface BackupOrder {
  cause: BackupCause;
  actorId: number;
  slot: string | null;
}

export interface BackupRun {
  id: number;
  /** Rejects with a `BackupError`, which is recorded. */
  done: Promise<WrittenBackup>;
}

/**
 * Starts a backup and records it and its progress in the database. Undefined: one is running, or this slot was taken by
 * another node. Old archives are removed after a success.
 */
export async function startBackup(
  db: Kysely<Tables>,
  source: BackupSource,
  options: Omit<BackupOptions, 'progress'> & { retention: Retention; progress?: (done: number) => void },
  { cause, actorId, slot }: BackupOrder,
): Promise<BackupRun | undefined> {
  await closeDeadRuns(db, options.now);
  const row = await db
    .insertInto('backups')
    .values({
      cause,
      actor_id: actorId,
      host: hostname(),
      lock: LOCK,
      slot,
      state: 'running',
      started_time: options.now,
      seen_time: databaseTime(db),
      encrypted: options.passphrase !== undefined,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && { id: row.id, done: run(db, source, options, row.id) };
}

async function run(
  db: Kysely<Tables>,
  source: BackupSource,
  options: Omit<BackupOptions, 'progress'> & { retention: Retention; progress?: (done: number) => void },
  id: number,
): Promise<WrittenBackup> {
  let percent = 0;
  const began = performance.now();
  const heartbeat = setInterval(() => {
    // The end is written again, so a lost heartbeat is made up for.
    db.updateTable('backups')
      .set({ percent, seen_time: databaseTime(db) })
      .where('id', '=', id)
      .execute()
      .catch(() => {});
  }, HEARTBEAT_MS);
  const endWith = (more: { state: 'done' | 'failed'; file?: string; bytes?: number; error?: string }) => {
    clearInterval(heartbeat);
    const ended_time = options.now + Math.round((performance.now() - began) / 1000);
    return db
      .updateTable('backups')
      .set({ ...more, lock: null, percent: 100, ended_time })
      .where('id', '=', id)
      .execute();
  };
  try {
    const written = await writeBackup(source, {
      ...options,
      progress: (done) => {
        percent = Math.floor(done * 100);
        options.progress?.(done);
      },
    });
    await endWith({ state: 'done', file: written.file, bytes: written.bytes });
    await forgetOld(db, await pruneBackups(options.folder, written.databaseId, options.retention, options.now));
    return written;
  } catch (error) {
    await endWith({ state: 'failed', error: asError(error).message.slice(0, 1000) });
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

async function forgetOld(db: Kysely<Tables>, removed: readonly string[]): Promise<void> {
  if (removed.length > 0)
    await db
      .updateTable('backups')
      .set({ file: '' })
      .where('file', 'in', removed)
      .where('host', '=', hostname())
      .execute();
  const last = await db.selectFrom('backups').select('id').orderBy('id', 'desc').offset(KEPT).limit(1).execute();
  if (last[0]) await db.deleteFrom('backups').where('id', '<=', last[0].id).where('file', '=', '').execute();
}

/** Records the end of runs whose process was killed. */
export async function closeDeadRuns(db: Kysely<Tables>, now: number): Promise<void> {
  const { time } = await db.selectNoFrom(() => databaseTime(db).as('time')).executeTakeFirstOrThrow();
  await db
    .updateTable('backups')
    .set({ state: 'failed', lock: null, ended_time: now, error: KILLED })
    .where('state', '=', 'running')
    .where('seen_time', '<', time - DEAD_AFTER_S)
    .execute();
}

/** Why a run without an end has failed. */
const KILLED = 'The process ended before the backup was complete.';

/** Removes the run that made a restored copy: in it, that run has not ended yet. */
export async function forgetOwnRun(db: Kysely<Tables>): Promise<void> {
  const tables = await db.introspection.getTables();
  // An older version has no such table.
  if (tables.some(({ name }) => name === 'backups'))
    await db.deleteFrom('backups').where('state', '=', 'running').execute();
}
