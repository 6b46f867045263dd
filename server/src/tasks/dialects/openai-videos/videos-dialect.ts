/** OpenAI's Videos API, as its clients speak it. */
import { isObject, type Json, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { sendMedia } from '#tasks/media/media-links.ts';
import { openMedia, sendOpened } from '#tasks/media/send-file.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import type { OrderedTask, TaskSubmission } from '#tasks/submit/task-submission.ts';
import { invalidTask, TaskRefusal } from '#tasks/task-refusal.ts';
import { getTask } from '#tasks/task-rows.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { sendJson } from '../send-json.ts';
import { hookField, mediaInput, promptField, secondsField, textField } from '#tasks/dialects/video/fields.ts';
import { finishedVideo, modelOfVideo, orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { callersVideo, hideVideo, pageOfVideos, stopVideo } from '#tasks/dialects/video/own-videos.ts';
import { termsOf, unifiedOrder } from '#tasks/dialects/video/unified-order.ts';
import { videoObject } from './video-object.ts';

const DEFAULT_MODEL = 'sora-2';
const at = '/v1/videos';

const changeRow = (path: string, kind: 'edit' | 'extend'): PathRow => ({
  path,
  endpoint: path,
  answers: {
    POST: (context) => submit(context, path, (caller, body) => change(context, caller, body, kind)),
  },
});

export const openAiVideoRows: readonly PathRow[] = [
  { path: at, endpoint: at, answers: { POST: (context) => submit(context, at, generation), GET: list } },
  changeRow(`${at}/edits`, 'edit'),
  changeRow(`${at}/extensions`, 'extend'),
  {
    path: `${at}/{name}`,
    endpoint: `${at}/:id`,
    // Characters are not served.
    when: ({ url = '' }) => !/^\/v1\/videos\/characters(?:[/?]|$)/.test(url),
    answers: { GET: retrieve, DELETE: remove },
  },
  { path: `${at}/{name}/content`, endpoint: `${at}/:id/content`, answers: { GET: sendContent } },
  {
    path: `${at}/{name}/remix`,
    endpoint: `${at}/:id/remix`,
    answers: {
      POST: (context, [id = '']) =>
        submit(context, `${at}/:id/remix`, (caller, body) => remix(context, caller, body, id)),
    },
  },
];

function submit(context: HttpContext, endpoint: string, order: TaskSubmission['order']): Promise<void> {
  return taskCall(context, {
    endpoint,
    platform: 'video',
    forms: true,
    repeats: true,
    order,
    reply: async ({ taskId }) => videoObject(context, await getTask(context.deps.db, taskId)),
  });
}

const modelIn = (body: Json): string => textField(body, 'model', 200) ?? DEFAULT_MODEL;

function generation(_: Caller, body: Json): OrderedTask {
  const video = unifiedOrder(body, 'generate');
  return orderedVideo({ model: modelIn(body), body, video, notifyHook: hookField(body, 'callback_url') });
}

async function remix({ deps }: HttpContext, { userId }: Caller, body: Json, id: string): Promise<OrderedTask> {
  const prompt = promptField(body);
  const parent = await finishedVideo(deps, userId, id);
  const video = { ...termsOf(parent.request), kind: 'remix', prompt } as const;
  return orderedVideo({ model: modelOfVideo(parent), body, video, notifyHook: '', parent });
}

/** An edit or extension of an own earlier video, or of one that is sent along. */
async function change(
  { deps }: HttpContext,
  { userId }: Caller,
  body: Json,
  kind: 'edit' | 'extend',
): Promise<OrderedTask> {
  const prompt = promptField(body);
  const given = body['video'];
  const id = isObject(given) ? textOr(given['id'], '') : '';
  if (isObject(given) && id === '') throw invalidTask("'video.id' is required.", 'video.id');
  const seconds = secondsField(body, 'seconds');
  if (id !== '') {
    const parent = await finishedVideo(deps, userId, id);
    const terms = termsOf(parent.request);
    const video = { ...terms, seconds: seconds ?? terms.seconds, kind, prompt };
    return orderedVideo({ model: modelOfVideo(parent), body, video, notifyHook: '', parent });
  }
  const source = mediaInput(given, 'video');
  if (!source) throw invalidTask("'video' is required.", 'video');
  const { video: _, ...rest } = body;
  const video = { ...unifiedOrder(rest, kind), video: source };
  return orderedVideo({ model: modelIn(body), body, video, notifyHook: '' });
}

async function retrieve(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  sendJson(context, videoObject(context, await callersVideo(context, id)));
}

const MOST_LISTED = 100;

async function list(context: HttpContext): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const query = queryOf(context);
  const limit = query.get('limit') ?? '20';
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST_LISTED)
    throw invalidTask(`'limit' is not valid: it must be from 1 to ${MOST_LISTED}.`, 'limit');
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw invalidTask("'order' is not valid: it must be asc or desc.", 'order');
  await deps.book.caughtUp();
  const page = { after: query.get('after') ?? '', limit: Number(limit), order } as const;
  const { tasks, hasMore } = await pageOfVideos(deps.db, caller.userId, page);
  sendJson(context, {
    object: 'list',
    data: tasks.map((task) => videoObject(context, task)),
    first_id: tasks[0]?.task_id ?? null,
    last_id: tasks.at(-1)?.task_id ?? null,
    has_more: hasMore,
  });
}

async function sendContent(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await callersVideo(context, id);
  const variant = queryOf(context).get('variant') ?? 'video';
  if (variant !== 'video' && variant !== 'thumbnail')
    throw new TaskRefusal(404, `The video has no '${variant.slice(0, 40)}'.`, 4, {
      type: 'invalid_request_error',
      code: 'variant_not_found',
      param: 'variant',
    });
  if (task.status !== 'SUCCESS')
    // Not a 409, which clients repeat.
    throw new TaskRefusal(400, 'The video is not ready.', 4, {
      type: 'invalid_request_error',
      code: 'video_not_ready',
    });
  if (variant === 'thumbnail')
    return sendOpened(context, task, await openMedia(context, task, { index: 0, isCover: true }));
  await sendMedia(context, task, 0);
}

async function remove(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await callersVideo(context, id);
  await stopVideo(context, task);
  await hideVideo(context, task);
  sendJson(context, { id, object: 'video.deleted', deleted: true });
}
