import { Readable } from 'node:stream';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import type { Deps } from '#deps.ts';
import type { ReportedMedia } from '#providers/task-operation.ts';
import type { TaskOrigin } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { incomingFolder } from './store/disk-store.ts';
import { putFile } from './store/media-store.ts';
import { spoolFile } from './store/spool-file.ts';
import { unstored } from './task-files.ts';

/**
 * Takes over the result files of a report, and returns the records that are kept with the task. Files that came inside the
 * report are written to disk; the others are planned to be fetched after the task's success, if the store is on.
 */
export type KeepMedia = (
  task: Pick<TaskRow, 'id' | 'task_id' | 'user_id'>,
  media: readonly ReportedMedia[],
  origin: TaskOrigin,
) => Promise<StoredTaskMedia[]>;

type HookDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'now' | 'upstreams'>;

/** Before this, a report is hardly written. */
const FIRST_FETCH_S = 2;

export const mediaKeeper =
  (deps: HookDeps): KeepMedia =>
  async (task, media) => {
    const kept: StoredTaskMedia[] = [];
    for (const [index, file] of media.entries())
      kept.push(file.bytes ? await writeBytes(deps, task, index, { ...file, bytes: file.bytes }) : unstored(file));
    await planFetches(deps, task.task_id, kept);
    return kept;
  };

type WithBytes = ReportedMedia & { bytes: Buffer };

/** They were paid for and exist nowhere else, so they are stored whatever the setting says. */
async function writeBytes(
  deps: HookDeps,
  task: Parameters<KeepMedia>[0],
  index: number,
  file: WithBytes,
): Promise<StoredTaskMedia> {
  const named = { taskId: task.task_id, index };
  const spool = () =>
    spoolFile(incomingFolder(deps.config), Readable.from([file.bytes]), {
      kind: file.kind,
      otherType: 'application/octet-stream',
    });
  const spooled = await spool();
  const stored = await putFile(deps, 'disk', named, spooled);
  const facts = { type: spooled.type, bytes: spooled.bytes };
  if (deps.live.settings.TaskMediaStore !== 's3') return { ...unstored(file), ...facts, url: '', stored };
  try {
    return { ...unstored(file), ...facts, url: '', stored: await putFile(deps, 's3', named, await spool()) };
  } catch (error) {
    deps.log.warn({ err: error, task: task.task_id }, 'a result stays on disk, the store did not take it');
    return { ...unstored(file), ...facts, url: '', stored };
  }
}

async function planFetches(
  { db, live, now: clock }: HookDeps,
  taskId: string,
  files: StoredTaskMedia[],
): Promise<void> {
  if (live.settings.TaskMediaStore === 'off') return;
  const now = clock();
  const wanted = files.flatMap((file, position) => (file.stored === '' && file.url !== '' ? [position] : []));
  if (wanted.length === 0) return;
  await db
    .insertInto('task_fetches')
    .values(wanted.map((position) => ({ task_id: taskId, position, created_at: now, next_at: now + FIRST_FETCH_S })))
    .onConflict((conflict) => conflict.columns(['task_id', 'position']).doNothing())
    .execute();
}
