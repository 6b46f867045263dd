/** Kling's API in its legacy form and the paths of its newer form, as their clients speak them. */
import { isObject, type Json, listOr } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathAnswer, PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { invalidTask, taskNotFound } from '#tasks/task-refusal.ts';
import { getTask, isStorable, type TaskRow } from '#tasks/task-rows.ts';
import { decodeName, queryOf } from '#relay/body/url-query.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import {
  hookField,
  mediaInput,
  objectField,
  promptField,
  secondsField,
  textField,
} from '#tasks/dialects/video/fields.ts';
import { orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { codedErrorBody } from '../error-body.ts';
import { sendJson } from '../send-json.ts';
import { type KlingAction, klingActions, klingOrder } from './kling-order.ts';
import { klingTask, newKlingTask } from './kling-task.ts';

const settingsRead = new Set(['audio', 'resolution', 'aspect_ratio', 'duration']);

/** Reads a submission in the form of the newer API. Throws a 400 that names the field. */
function newKlingOrder(body: Json, model: string, hasPictures: boolean): OrderedTask {
  const settings = objectField(body, 'settings') ?? {};
  const { callback_url, external_task_id, ...options } = objectField(body, 'options') ?? {};
  const contents = hasPictures ? contentsIn(body) : { prompt: promptField(body) };
  const extra = {
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => !settingsRead.has(name))),
    ...options,
  };
  const video: VideoOrder = {
    kind: 'generate',
    ...contents,
    seconds: secondsField(settings, 'duration'),
    resolution: textField(settings, 'resolution', 20)?.toLowerCase(),
    ratio: textField(settings, 'aspect_ratio', 20),
    audio: audioIn(settings),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  const notifyHook = hookField({ callback_url }, 'callback_url');
  const state = textField({ external_task_id }, 'external_task_id', 200) ?? '';
  return { ...orderedVideo({ model, body, video, notifyHook }), state };
}

function audioIn(settings: Json): boolean | undefined {
  const audio = textField(settings, 'audio', 20);
  if (audio !== undefined && audio !== 'native' && audio !== 'off')
    throw invalidTask("'settings.audio' is not valid: it must be native or off.", 'settings.audio');
  return audio === undefined ? undefined : audio === 'native';
}

type Contents = Pick<VideoOrder, 'prompt' | 'firstFrame' | 'lastFrame'>;

function contentsIn(body: Json): Contents {
  const found: Contents = { prompt: promptField(body, false) };
  for (const part of listOr(body['contents'])) {
    const { type, text, url }: Json = isObject(part) ? part : {};
    if (type === 'prompt') found.prompt = promptField({ prompt: text });
    else if (type === 'first_frame') found.firstFrame = mediaInput(url, 'contents');
    else if (type === 'last_frame') found.lastFrame = mediaInput(url, 'contents');
    else throw invalidTask("'contents' has a part of a type that is not served.", 'contents');
  }
  if (!found.firstFrame) throw invalidTask("'contents' has no first frame.", 'contents');
  return found;
}

/** Their rows have all their methods. */
const servedAction = new RegExp(`^/kling/v1/videos/(?:${klingActions.join('|')})(?:[/?]|$)`);

const notServed = (): Promise<never> => Promise.reject(invalidTask('This class or action is not served.'));

export const klingRows: readonly PathRow[] = [
  ...klingActions.flatMap((action): PathRow[] => {
    const path = `/kling/v1/videos/${action}`;
    return [
      {
        path,
        endpoint: path,
        answers: { POST: (context) => submit(context, path, action), GET: (context) => list(context, action) },
      },
      { path: `${path}/{text}`, endpoint: `${path}/:id`, answers: { GET: show } },
    ];
  }),
  ...['/kling/v1/{name}/{name}', '/kling/v1/{name}/{name}/{text}'].map((path): PathRow => ({
    path,
    endpoint: '/kling/v1',
    when: ({ url = '' }) => !servedAction.test(url),
    answers: { POST: notServed, GET: notServed },
  })),
  { path: '/kling/tasks', endpoint: '/kling/tasks', answers: { GET: fetchTasks } },
  ...(['text-to-video', 'image-to-video'] as const).map((action): PathRow => {
    const endpoint = `/kling/${action}/:model`;
    const submitNew: PathAnswer = (context, [model = '']) =>
      taskCall(context, {
        endpoint,
        platform: 'video',
        repeats: true,
        order: (_, body) => newKlingOrder(body, decodeName(model), action === 'image-to-video'),
        reply: async ({ taskId }) => enveloped(context, newKlingTask(context, await getTask(context.deps.db, taskId))),
      });
    return { path: `/kling/${action}/{text}`, endpoint, answers: { POST: submitNew } };
  }),
  { path: '/kling/*', errorBody: codedErrorBody },
];

async function show(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  sendData(context, klingTask(context, await taskNamed(context, id)));
}

/** Answers have the vendor's envelope. */
const enveloped = ({ requestId }: HttpContext, data: unknown): Json => ({
  code: 0,
  message: 'SUCCEED',
  request_id: requestId,
  data,
});

const sendData = (context: HttpContext, data: unknown): void => sendJson(context, enveloped(context, data));

const submit = (context: HttpContext, endpoint: string, action: KlingAction): Promise<void> =>
  taskCall(context, {
    endpoint,
    platform: 'kling',
    repeats: true,
    order: (caller, body) => klingOrder(context.deps, caller, body, action),
    reply: async ({ taskId }) => enveloped(context, klingTask(context, await getTask(context.deps.db, taskId))),
  });

const LONGEST_PAGE = 500;

async function list(context: HttpContext, action: KlingAction): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const query = queryOf(context);
  const page = wholeIn(query, 'pageNum', { otherwise: 1, most: 1000 });
  const size = wholeIn(query, 'pageSize', { otherwise: 30, most: LONGEST_PAGE });
  await deps.book.caughtUp();
  const tasks = await ownRows(context, caller.userId)
    .where('platform', '=', 'kling')
    .where('action', '=', action)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute();
  sendData(
    context,
    tasks.map((task) => klingTask(context, task)),
  );
}

function wholeIn(query: URLSearchParams, name: string, { otherwise, most }: { otherwise: number; most: number }) {
  const text = query.get(name) ?? String(otherwise);
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw invalidTask(`'${name}' is not valid: it must be from 1 to ${most}.`, name);
  return Number(text);
}

const ownRows = ({ deps: { db } }: HttpContext, userId: number) =>
  db.selectFrom('tasks').where('user_id', '=', userId).where('hidden_at', '=', 0);

/** Undefined: the encoding is wrong. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A caller's task, by our id or by their own, as its path names it. Throws a 404. */
async function taskNamed(context: HttpContext, text: string): Promise<TaskRow> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const name = decoded(text);
  if (name === undefined || !isStorable(name)) throw taskNotFound();
  await deps.book.caughtUp();
  const found = await ownRows(context, caller.userId)
    .where('platform', 'in', ['kling', 'video'])
    .where((eb) => eb.or([eb('task_id', '=', name), eb('state', '=', name)]))
    .selectAll()
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (!found) throw taskNotFound();
  return found;
}

const MOST_IDS = 100;

/** Unknown ids are left out. */
async function fetchTasks(context: HttpContext): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const query = queryOf(context);
  const idsIn = (name: string) => [
    ...new Set((query.get(name) ?? '').split(',').filter((id) => id !== '' && isStorable(id))),
  ];
  const [ids, external] = [idsIn('task_ids'), idsIn('external_task_ids')];
  const column = ids.length > 0 ? 'task_id' : 'state';
  const names = ids.length > 0 ? ids : external;
  if (names.length === 0 || names.length > MOST_IDS)
    throw invalidTask(`'task_ids' must name 1 to ${MOST_IDS} tasks.`, 'task_ids');
  await deps.book.caughtUp();
  const tasks = await ownRows(context, caller.userId)
    .where('platform', 'in', ['kling', 'video'])
    .where(column, 'in', names)
    .selectAll()
    .orderBy('id')
    .execute();
  sendData(
    context,
    tasks.map((task) => newKlingTask(context, task)),
  );
}
