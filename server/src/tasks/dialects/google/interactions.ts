/** Google's Interactions API: videos are tasks, all others are calls of a chat model. */
import type { TaskStatus } from '@relay-hub/contract';
import { type Json, objectOr } from '#json.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkBalance } from '#relay/admission/unpaid-body.ts';
import { parseJson, readBody } from '#relay/body/read-body.ts';
import { interactionCall, isInteraction, keptInteraction } from '#relay/model/interaction-call.ts';
import { requestWith } from '#relay/reply/substitute.ts';
import { modelIn } from '#relay/types/trace.ts';
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

/** The body says what kind of interaction it is. */
async function submit(context: HttpContext): Promise<void> {
  const { deps, request } = context;
  const endpoint = `/gemini/${versionOf(context)}/interactions`;
  const admitted = await authenticate(context, 'gemini');
  const claim = deps.bodies.claim(admitted.caller.userId);
  try {
    const kind = { operation: 'chat', dialect: 'gemini' } as const;
    const body = await readBody(request, {
      claim,
      whenLarge: (readModel) => checkBalance(deps, admitted, kind, readModel),
    });
    const again = { ...context, request: requestWith(request, body) };
    const json = parseJson(body, 'google');
    if (makesVideo(objectOr(json))) return await submitVideo(again, endpoint);
    context.trace.model = modelIn(json);
    await interactionCall(again, json, endpoint);
  } finally {
    claim.release();
  }
}

const makesVideo = ({ response_format: formats, generation_config: config }: Json): boolean =>
  objectOr(config)['video_config'] != null ||
  (Array.isArray(formats) ? (formats as unknown[]) : [formats]).some((format) => objectOr(format)['type'] === 'video');

const submitVideo = (context: HttpContext, endpoint: string): Promise<void> =>
  taskCall(context, {
    endpoint,
    platform: 'video',
    dialect: 'gemini',
    repeats: true,
    order: (caller, body) => interactionOrder(context.deps, caller, body),
    reply: async ({ taskId }) => interactionObject(context, await getTask(context.deps.db, taskId)),
  });

async function show(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  if (isInteraction(id)) return keptInteraction(context, id, false);
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
  if (isInteraction(id)) return keptInteraction(context, id, true);
  const task = await callersVideo(context, id, 'gemini');
  await stopVideo(context, task);
  await hideVideo(context, task);
  sendJson(context, {});
}
