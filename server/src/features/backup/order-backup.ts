import type { BackupOrder, BackupRun } from '#backup/recorded-backup.ts';
import type { Deps } from '#deps.ts';
import { backupFolder } from './backup-queries.ts';

export type BackupDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'now'>;

/** Starts a backup with the settings of the schedule; undefined: one is running. A failure is logged and recorded. */
export async function orderBackup(deps: BackupDeps, order: BackupOrder): Promise<BackupRun | undefined> {
  const { config, db, live, log, now } = deps;
  const { BackupPassphrase: passphrase, BackupMedia: media, BackupKeepCount, BackupKeepDays } = live.settings;
  // Most processes never make one.
  const { startBackup } = await import('#backup/recorded-backup.ts');
  const run = await startBackup(
    db,
    config,
    {
      folder: backupFolder(deps),
      passphrase: passphrase === '' ? undefined : passphrase,
      media,
      now: now(),
      retention: { count: BackupKeepCount, days: BackupKeepDays },
    },
    order,
  );
  run?.done.then(
    ({ file, bytes }) => log.info({ file, bytes }, 'backup made'),
    (error: unknown) => log.error({ err: error }, 'backup failed'),
  );
  return run;
}
