import { type BackupRun, closeDeadRuns } from '#backup/recorded-backup.ts';
import { dueSlot } from '#features/backup/backup-schedule.ts';
import { orderBackup, type BackupDeps } from '#features/backup/order-backup.ts';
import type { Deps } from '#deps.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

type ScheduleDeps = BackupDeps & Pick<Deps, 'nodeId'>;

const EVERY_MS = 30_000;

/** Makes scheduled backups, on the longest-running node, so that the archives are in one place. */
export const watchBackups = (deps: ScheduleDeps): { stop(): Promise<void> } =>
  repeat({ name: 'backups', everyMs: EVERY_MS, failure: 'scheduled backups failed', log: deps.log }, () =>
    backUpIfDue(deps),
  );

/**
 * Starts the scheduled backup if one is due, and closes one whose process was killed. A process that stops does not
 * wait for its backup; the next one makes another.
 */
export async function backUpIfDue(deps: ScheduleDeps): Promise<BackupRun | undefined> {
  const { db, live, now } = deps;
  await closeDeadRuns(db, now());
  const slot = await dueSlot(db, live.settings, now());
  if (slot === undefined || !(await isFirstNode(deps))) return undefined;
  return orderBackup(deps, { cause: 'schedule', actorId: 0, slot });
}
