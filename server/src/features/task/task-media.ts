import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import type { WriteResponse } from '#http/serve-raw.ts';
import { type FileContext, openMedia, sendOpened } from '#tasks/media/send-file.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** Whose tasks may be seen. */
type FileScope = 'all' | { userId: number };

/**
 * Opens a result file for somebody who is signed in; the result sends it. Throws `record.not_found`,
 * `task.media_expired` and `task.media_failed`.
 */
export async function taskMedia(
  context: FileContext,
  scope: FileScope,
  { id, index }: { id: number; index: number },
): Promise<WriteResponse> {
  const task = await visibleTask(context.deps, scope, id);
  ensure(task, 'record.not_found');
  try {
    const opened = await openMedia(context, task, { index, isCover: false });
    return () => sendOpened(context, task, opened);
  } catch (error) {
    if (!(error instanceof TaskRefusal)) throw error;
    throw new AppError(
      error.status === 404 ? 'record.not_found' : error.status === 410 ? 'task.media_expired' : 'task.media_failed',
    );
  }
}

function visibleTask({ db }: Deps, scope: FileScope, id: number): Promise<TaskRow | undefined> {
  const rows = db.selectFrom('tasks').where('id', '=', id).selectAll();
  return (scope === 'all' ? rows : rows.where('user_id', '=', scope.userId)).executeTakeFirst();
}
