import { isSignedPath } from '#http/signed-path.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathOwner } from '#relay/types/path-row.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import { sendMedia } from './media-links.ts';
import { openMedia, sendOpened } from './send-file.ts';

const anyPath = /^\/media\/([\w-]{1,100})\/(\d{1,3})(\/cover)?$/;

/** Result files at their signed addresses. */
export const mediaRoute: PathOwner = {
  find(path) {
    const [whole, taskId = '', position, cover] = anyPath.exec(path) ?? [];
    if (whole === undefined) return undefined;
    const wanted = { taskId, index: Number(position), isCover: cover !== undefined };
    return { endpoint: '/media/:id', answers: { GET: (context) => sendSigned(context, path, wanted) } };
  },
};

async function sendSigned(
  context: HttpContext,
  path: string,
  { taskId, index, isCover }: { taskId: string; index: number; isCover: boolean },
): Promise<void> {
  const { deps, request } = context;
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  if (!isSignedPath(deps.config.secretKey, path, query, deps.now()))
    throw new TaskRefusal(403, 'This address is not valid, or has expired. Fetch the task for a new one.', 4, {
      type: 'invalid_request_error',
      code: 'invalid_signature',
    });
  const task = await deps.db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirst();
  if (!task || task.hidden_at > 0)
    throw new TaskRefusal(404, 'The task does not exist.', 3, {
      type: 'invalid_request_error',
      code: 'task_not_exist',
    });
  if (!isCover) return sendMedia(context, task, index);
  return sendOpened(context, task, await openMedia(context, task, { index, isCover }));
}
