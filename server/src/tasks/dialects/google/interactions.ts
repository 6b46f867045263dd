/** Google's Interactions API, as far as it makes videos. */
import type { TaskStatus } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { getTask, type TaskRow } from '#tasks/task-rows.ts';
import type { ServedPath } from '#relay/types/path-row.ts';
import { sendJson } from '../send-json.ts';
import { modelOfVideo } from '#tasks/dialects/video/ordered-video.ts';
import { callersVideo, hideVideo, stopVideo } from '#tasks/dialects/video/own-videos.ts';
import { interactionOrder } from './interaction-order.ts';

const anyPath = /^\/gemini\/(v\d[\w.-]*)\/interactions(?:\/([\w-]{1,100})(\/cancel)?)?$/;

/** Undefined: another path. */
export function interactionPath(path: string): ServedPath | undefined {
  const [whole, version = '', id, cancel] = anyPath.exec(path) ?? [];
  if (whole === undefined) return undefined;
  const endpoint = `/gemini/${version}/interactions`;
  if (id === undefined) return { endpoint, answers: { POST: (context) => submit(context, endpoint) } };
  if (cancel !== undefined)
    return { endpoint: `${endpoint}/:id/cancel`, answers: { POST: (context) => stop(context, id) } };
  return {
    endpoint: `${endpoint}/:id`,
    answers: {
      GET: async (context) => sendJson(context, interactionObject(context, await callersVideo(context, id, 'gemini'))),
      DELETE: (context) => remove(context, id),
    },
  };
}

const submit = (context: HttpContext, endpoint: string): Promise<void> =>
  taskCall(context, {
    endpoint,
    platform: 'video',
    dialect: 'gemini',
    repeats: true,
    order: (caller, body) => interactionOrder(context.deps, caller, body),
    reply: async ({ taskId }) => interactionObject(context, await getTask(context.deps.db, taskId)),
  });

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

async function stop(context: HttpContext, id: string): Promise<void> {
  const { deps } = context;
  const task = await callersVideo(context, id, 'gemini');
  await stopVideo(context, task);
  sendJson(context, interactionObject(context, await getTask(deps.db, id)));
}

async function remove(context: HttpContext, id: string): Promise<void> {
  const task = await callersVideo(context, id, 'gemini');
  await stopVideo(context, task);
  await hideVideo(context, task);
  sendJson(context, {});
}
