/** The dialect of Suno-API, as its clients speak it. */
import type { Deps } from '#deps.ts';
import { isObject, type Json, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask, taskNotFound } from '#tasks/task-refusal.ts';
import { findOwnTask, findOwnTasks, type TaskRow } from '#tasks/task-rows.ts';
import { codedErrorBody } from '../error-body.ts';
import { readIds } from '../read-ids.ts';
import { sendJson } from '../send-json.ts';
import { taskObject } from './task-object.ts';

/** Clients write the kinds of songs in any case. */
const otherCase = /^\/suno\/submit\/(?:music|lyrics|concat)\/?(?:\?|$)/i;

export const sunoRows: readonly PathRow[] = [
  ...['/suno/submit/music', '/suno/submit/lyrics', '/suno/submit/concat'].map((path): PathRow => ({
    path,
    endpoint: path,
    answers: { POST: (context) => submit(context, path, path.slice('/suno/submit/'.length)) },
  })),
  {
    path: '/suno/submit/{name}',
    endpoint: '/suno/submit/:kind',
    when: ({ url = '' }) => otherCase.test(url),
    answers: {
      POST: (context, [name = '']) => submit(context, `/suno/submit/${name.toLowerCase()}`, name.toLowerCase()),
    },
  },
  {
    path: '/suno/uploads/audio-url',
    endpoint: '/suno/uploads/audio-url',
    answers: { POST: (context) => submit(context, '/suno/uploads/audio-url', 'upload') },
  },
  { path: '/suno/fetch', endpoint: '/suno/fetch', answers: { POST: fetchTasks } },
  { path: '/suno/fetch/{text}', endpoint: '/suno/fetch/:id', answers: { GET: fetchTask } },
  { path: '/suno/*', errorBody: codedErrorBody },
];

const submit = (context: HttpContext, endpoint: string, kind: string): Promise<void> =>
  taskCall(context, {
    endpoint,
    platform: 'suno',
    order: (caller, body) => orders[kind]!(context.deps, caller, body), // rows name no others
    reply: ({ taskId }) => ({ code: 'success', message: '', data: taskId }),
  });

type ReadOrder = (deps: Deps, caller: Caller, body: Json) => Promise<OrderedTask>;

const orders: Readonly<Record<string, ReadOrder>> = {
  async music(deps, caller, body) {
    const mv = textOr(body['mv'], '') || 'chirp-v3-0';
    const continued = [body['continue_clip_id'], body['cover_clip_id'], body['clip_id']].map((id) => textOr(id, ''));
    const parent = await parentOf(deps, caller, body, continued);
    return orderOf({ kind: 'music', action: 'MUSIC', model: mv, body: { ...body, mv } }, parent);
  },
  async lyrics(_, __, body) {
    if (textOr(body['prompt'], '').trim() === '') throw invalidTask('The prompt is missing.');
    return orderOf({ kind: 'lyrics', action: 'LYRICS', model: 'suno_lyrics', body }, undefined);
  },
  async concat(deps, caller, body) {
    const clip = textOr(body['clip_id'], '');
    if (clip === '') throw invalidTask('The clip_id is missing.');
    const parent = await parentOf(deps, caller, body, [clip]);
    return orderOf({ kind: 'concat', action: 'CONCAT', model: 'suno_concat', body }, parent);
  },
  async upload(_, __, body) {
    const url = textOr(body['url'], '');
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url) || url.length > 4096)
      throw invalidTask('The url must be an address with http or https.', 'url');
    return orderOf({ kind: 'upload', action: 'UPLOAD', model: 'suno_upload', body: { url } }, undefined);
  },
};

const orderOf = (
  { kind, action, model, body }: Pick<OrderedTask, 'kind' | 'action' | 'model' | 'body'>,
  parent: TaskRow | undefined,
): OrderedTask => ({
  kind,
  action,
  model,
  mode: '',
  body,
  prompt: (textOr(body['gpt_description_prompt'], '') || textOr(body['prompt'], '')).slice(0, 8000),
  state: '',
  notifyHook: (textOr(body['notify_hook'], '') || textOr(body['callBackUrl'], '')).slice(0, 2000),
  parent,
});

/** Songs that a caller can name without their task. */
const SEARCHED_TASKS = 200;

/**
 * The task that a song is continued from: it is known only to the account that made it. Throws a 400 for a song that is
 * none of the caller's.
 */
async function parentOf(
  { db, book }: Deps,
  { userId }: Caller,
  body: Json,
  clips: readonly string[],
): Promise<TaskRow | undefined> {
  const taskId = textOr(body['task_id'], '');
  const wanted = clips.filter((id) => id !== '');
  if (taskId === '' && wanted.length === 0) return undefined;
  await book.caughtUp();
  if (taskId !== '') {
    const task = await findOwnTask(db, userId, 'suno', taskId);
    if (!task) throw taskNotFound('task_not_exist');
    return task;
  }
  const recent = await db
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .where('platform', '=', 'suno')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(SEARCHED_TASKS)
    .execute();
  const found = recent.find(
    ({ data }) => Array.isArray(data) && data.some((song) => isObject(song) && wanted.includes(textOr(song['id'], ''))),
  );
  if (!found) throw invalidTask('The song belongs to none of your tasks. Name its task in task_id.');
  return found;
}

async function fetchTask(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  await deps.book.caughtUp();
  const task = await findOwnTask(deps.db, caller.userId, 'suno', id);
  if (!task) throw taskNotFound('task_not_exist');
  sendJson(context, { code: 'success', message: '', data: taskObject(task) });
}

async function fetchTasks(context: HttpContext): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const ids = await readIds(context, caller.userId);
  await deps.book.caughtUp();
  const tasks = await findOwnTasks(deps.db, caller.userId, 'suno', ids);
  // As the product line does: null where none of the ids is known.
  const data = ids.length > 0 && tasks.length === 0 ? null : tasks.map(taskObject);
  sendJson(context, { code: 'success', message: '', data });
}
