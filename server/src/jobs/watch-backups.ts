import { type BackupRun, closeDeadRuns, KILLED } from '#backup/recorded-backup.ts';
import { dueSlot } from '#features/backup/backup-schedule.ts';
import { notifyFailedBackup } from '#features/backup/notify-failed-backup.ts';
import { orderBackup, type BackupDeps } from '#features/backup/order-backup.ts';
import type { Deps } from '#deps.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

type ScheduleDeps = BackupDeps & Pick<Deps, 'mailer' | 'nodeId'>;

const EVERY_MS = 30_000;

/** Makes scheduled backups, on the longest-running node, so that the archives are in one place. */
export const watchBackups = (deps: ScheduleDeps): { stop(): Promise<void> } =>
  repeat({ everyMs: EVERY_MS, failure: 'scheduled backups failed', log: deps.log }, () => backUpIfDue(deps));

/**
 * Starts the scheduled backup if one is due, and reports one whose process was killed. A process that stops does not
 * wait for its backup; the next one makes another.
 */
export async function backUpIfDue(deps: ScheduleDeps): Promise<BackupRun | undefined> {
  const { db, live, now } = deps;
  // The node that closes a run is the only one that mails about it.
  for (const attempt of await closeDeadRuns(db, now())) await notifyFailedBackup(deps, new Error(KILLED), attempt);
  const slot = await dueSlot(db, live.settings, now());
  if (slot === undefined || !(await isFirstNode(deps))) return undefined;
  const run = await orderBackup(deps, { cause: 'schedule', actorId: 0, slot });
  const attempt = Number(slot.split(' ')[1]);
  run?.done.catch((error: unknown) => notifyFailedBackup(deps, error, attempt));
  return run;
}
