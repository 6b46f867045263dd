/** Google's Interactions API, as far as it makes videos. */
import type { TaskStatus } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { getTask, type TaskRow } from '#tasks/task-rows.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { sendJson } from '../send-json.ts';
import { modelOfVideo } from '#tasks/dialects/video/ordered-video.ts';
import { callersVideo, hideVideo, stopVideo } from '#tasks/dialects/video/own-videos.ts';
import { interactionOrder } from './interaction-order.ts';

const at = '/gemini/{version}/interactions';
const ENDPOINT = '/gemini/interactions';

export const interactionRows: readonly PathRow[] = [
  { path: at, endpoint: ENDPOINT, answers: { POST: submit } },
  { path: `${at}/{name}`, endpoint: `${ENDPOINT}/:id`, answers: { GET: show, DELETE: remove } },
  { path: `${at}/{name}/cancel`, endpoint: `${ENDPOINT}/:id/cancel`, answers: { POST: stop } },
];

/** The version of Google's API that a path names. */
export const versionOf = ({ request: { url = '' } }: HttpContext): string => url.split('/', 3)[2] ?? '';

function submit(context: HttpContext): Promise<void> {
  return taskCall(context, {
    endpoint: `/gemini/${versionOf(context)}/interactions`,
    platform: 'video',
    dialect: 'gemini',
    repeats: true,
    order: (caller, body) => interactionOrder(context.deps, caller, body),
    reply: async ({ taskId }) => interactionObject(context, await getTask(context.deps.db, taskId)),
  });
}

async function show(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  sendJson(context, interactionObject(context, await callersVideo(context, id, 'gemini')));
}

const words: Readonly<Partial<Record<TaskStatus, string>>> = {
  SUCCESS: 'completed',
  FAILURE: 'failed',
  CANCEL: 'cancelled',
};

function interactionObject(context: HttpContext, task: TaskRow): Json {
  const files = task.status === 'SUCCESS' ? task.media : [];
  const content = files.map((file, index) => ({
    type: 'video',
    uri: mediaAddress(context, task, index),
    mime_type: file.type || 'video/mp4',
  }));
  return {
    id: task.task_id,
    object: 'interaction',
    model: modelOfVideo(task),
    status: words[task.status] ?? 'in_progress',
    created: new Date(task.submit_ms).toISOString(),
    updated: new Date(task.updated_at * 1000).toISOString(),
    ...(task.parent_task_id !== '' && { previous_interaction_id: task.parent_task_id }),
    ...(task.fail_reason !== '' && { errors: [{ code: 'generation_failed', message: task.fail_reason }] }),
    ...(content.length > 0 && { steps: [{ type: 'model_output', content }], output_video: content[0] }),
  };
}

async function stop(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const { deps } = context;
  const task = await callersVideo(context, id, 'gemini');
  await stopVideo(context, task);
  sendJson(context, interactionObject(context, await getTask(deps.db, id)));
}

async function remove(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await callersVideo(context, id, 'gemini');
  await stopVideo(context, task);
  await hideVideo(context, task);
  sendJson(context, {});
}
