import { isSignedPath } from '#http/signed-path.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { imagePath } from '#tasks/image-path.ts';
import { sendMedia } from '#tasks/media/media-links.ts';
import { filesOf } from '#tasks/media/task-files.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';

const noImage = (): TaskRefusal =>
  new TaskRefusal(400, 'The task has no picture.', 4, {
    type: 'invalid_request_error',
    code: 'midjourney_task_not_found',
  });

/** Sends a task's picture to its owner, or to a client with a signed address. */
export async function showImage(context: HttpContext, taskId: string): Promise<void> {
  const { deps, request } = context;
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const isSigned = isSignedPath(deps.config.secretKey, imagePath(taskId), query, deps.now());
  const userId = isSigned ? undefined : (await authenticate(context)).caller.userId;
  const task = await deps.db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirst();
  if (!task || task.hidden_at > 0 || filesOf(task).length === 0 || (userId !== undefined && task.user_id !== userId))
    throw noImage();
  await sendMedia(context, task, 0);
}
