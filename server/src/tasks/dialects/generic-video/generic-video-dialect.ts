/** The generic video dialect of new-api, as its clients speak it. */
import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import type { Caller } from '#live/callers.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { getTask, type TaskRow } from '#tasks/task-rows.ts';
import { codedErrorBody } from '../error-body.ts';
import { videoObject } from '#tasks/dialects/openai-videos/video-object.ts';
import { sendJson } from '../send-json.ts';
import { hookField, textField } from '#tasks/dialects/video/fields.ts';
import { modelOfVideo, orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { callersVideo } from '#tasks/dialects/video/own-videos.ts';
import { unifiedOrder } from '#tasks/dialects/video/unified-order.ts';

const ENDPOINT = '/v1/video/generations';

export const genericVideoRows: readonly PathRow[] = [
  { path: ENDPOINT, endpoint: ENDPOINT, answers: { POST: submit } },
  { path: `${ENDPOINT}/{name}`, endpoint: `${ENDPOINT}/:id`, answers: { GET: fetchTask } },
  { path: `${ENDPOINT}/*`, errorBody: codedErrorBody },
];

function submit(context: HttpContext): Promise<void> {
  return taskCall(context, {
    endpoint: ENDPOINT,
    platform: 'video',
    forms: true,
    repeats: true,
    order: orderOf,
    reply: async ({ taskId }) => videoObject(context, await getTask(context.deps.db, taskId)),
  });
}

function orderOf(_: Caller, body: Json): OrderedTask {
  const model = textField(body, 'model', 200);
  if (model === undefined) throw invalidTask("'model' is required.", 'model');
  const video = unifiedOrder(body, 'generate');
  return orderedVideo({ model, body, video, notifyHook: hookField(body, 'callback_url') });
}

async function fetchTask(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await callersVideo(context, id);
  const short = shortObject(context, task);
  // The source answers with the task in `data`, its documentation with the short form at the top.
  sendJson(context, {
    code: 'success',
    message: '',
    data: { ...taskObject(task), ...short, status: taskWord(task) },
    ...short,
  });
}

/** Clients take UNKNOWN for an end, and know no cancellation. */
const taskWord = ({ status }: TaskRow): string =>
  status === 'UNKNOWN' ? 'SUBMITTED' : status === 'CANCEL' ? 'FAILURE' : status;

const taskObject = (task: TaskRow): Json => ({
  platform: task.platform,
  action: task.action,
  fail_reason: task.fail_reason,
  submit_time: Math.floor(task.submit_ms / 1000),
  start_time: Math.floor(task.start_ms / 1000),
  finish_time: Math.floor(task.finish_ms / 1000),
  progress: `${task.progress}%`,
  properties: { input: task.prompt, origin_model_name: modelOfVideo(task) },
});

function shortObject(context: HttpContext, task: TaskRow): Json {
  const { status, fail_reason, request } = task;
  const url = status === 'SUCCESS' ? mediaAddress(context, task, 0) : '';
  const isFailed = status === 'FAILURE' || status === 'CANCEL';
  return {
    task_id: task.task_id,
    status: isFailed
      ? 'failed'
      : status === 'SUCCESS'
        ? 'succeeded'
        : status === 'IN_PROGRESS'
          ? 'processing'
          : 'queued',
    url,
    result_url: url,
    format: url === '' ? '' : task.media[0]?.type.split('/')[1] || 'mp4',
    metadata: { duration: request['seconds'] ?? null, size: request['size'] ?? null },
    error: isFailed ? { code: 'generation_failed', message: fail_reason } : null,
  };
}
