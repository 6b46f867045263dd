import { AppError } from '#errors.ts';
import type { WriteResponse } from '#http/serve-raw.ts';
import { type FileContext, openMedia, sendOpened } from '#tasks/media/send-file.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import { taskInScope, type TaskScope } from './task-queries.ts';

/**
 * Opens a result file for a signed-in user. The returned function sends it. Throws `record.not_found`,
 * `task.media_expired` and `task.media_failed`.
 */
export async function taskMedia(
  context: FileContext,
  scope: TaskScope,
  { id, index }: { id: number; index: number },
): Promise<WriteResponse> {
  const task = await taskInScope(context.deps.db, scope, id);
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
