import { isSignedPath } from '#http/signed-path.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { queryOf, splitUrl } from '#relay/body/url-query.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import { sendMedia } from './media-links.ts';
import { openMedia, sendOpened } from './send-file.ts';

/** Result files at their signed addresses. */
export const mediaRows: readonly PathRow[] = [
  {
    path: '/media/{name}/{number}',
    endpoint: '/media/:id',
    answers: { GET: (context, parts) => sendSigned(context, parts, false) },
  },
  {
    path: '/media/{name}/{number}/cover',
    endpoint: '/media/:id',
    answers: { GET: (context, parts) => sendSigned(context, parts, true) },
  },
  { path: '/media/*' },
];

async function sendSigned(
  context: HttpContext,
  [taskId = '', position]: readonly string[],
  isCover: boolean,
): Promise<void> {
  const { deps, request } = context;
  const { path } = splitUrl(request.url ?? '/');
  const index = Number(position);
  if (!isSignedPath(deps.config.secretKey, path, queryOf(context), deps.now()))
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
