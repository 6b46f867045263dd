/** The dialect of midjourney-proxy, as its clients speak it. */
import { type TaskMode, taskModes } from '@relay-hub/contract';
import { isObject, type Json, objectOr, parseJson } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate } from '#relay/admission/call-rate.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import { cancelTask } from '#tasks/cancel-task.ts';
import { isNotifyPath } from '#tasks/notify-path.ts';
import { originOf } from '#tasks/origin-channel.ts';
import { pollSoon } from '#tasks/poll/poll-tasks.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import type { Submitted } from '#tasks/submit/task-submission.ts';
import { invalidTask, originGone, taskNotFound, TaskRefusal } from '#tasks/task-refusal.ts';
import { finalStatuses, findOwnTask, findOwnTasks, type TaskRow } from '#tasks/task-rows.ts';
import { isSignedPath } from '#http/signed-path.ts';
import { imagePath } from '#tasks/image-path.ts';
import { sendMedia } from '#tasks/media/media-links.ts';
import { filesOf } from '#tasks/media/task-files.ts';
import { readIds } from '../read-ids.ts';
import { sendJson } from '../send-json.ts';
import { orders } from './orders.ts';
import { taskObject } from './task-object.ts';

const noImage = (): TaskRefusal =>
  new TaskRefusal(400, 'The task has no picture.', 4, {
    type: 'invalid_request_error',
    code: 'midjourney_task_not_found',
  });

/** Sends a task's picture to its owner, or to a client with a signed address. */
async function showImage(context: HttpContext, taskId: string): Promise<void> {
  const { deps, request } = context;
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
  const isSigned = isSignedPath(deps.config.secretKey, imagePath(taskId), query, deps.now());
  const userId = isSigned ? undefined : (await authenticate(context)).caller.userId;
  const task = await deps.db.selectFrom('tasks').where('task_id', '=', taskId).selectAll().executeTakeFirst();
  if (!task || task.hidden_at > 0 || filesOf(task).length === 0 || (userId !== undefined && task.user_id !== userId))
    throw noImage();
  await sendMedia(context, task, 0);
}

/** Paths below `/mj`. */
const rowsBelow: readonly PathRow[] = [
  ...Object.keys(orders).map((kind): PathRow => {
    const path = kind === 'swap' ? '/insight-face/swap' : `/submit/${kind}`;
    return { path, endpoint: `/mj${path}`, answers: { POST: (context) => submit(context, `/mj${path}`, kind) } };
  }),
  { path: '/task/{text}/fetch', endpoint: '/mj/task/:id/fetch', answers: { GET: fetchTask } },
  { path: '/task/{text}/image-seed', endpoint: '/mj/task/:id/image-seed', answers: { GET: fetchSeed } },
  { path: '/task/{text}/cancel', endpoint: '/mj/task/:id/cancel', answers: { POST: cancel } },
  // One of the two implementations calls it by the second name.
  ...['/task/list-by-condition', '/task/list-by-ids'].map((path): PathRow => ({
    path,
    endpoint: `/mj${path}`,
    answers: { POST: fetchTasks },
  })),
  { path: '/task/list', endpoint: '/mj/task/list', answers: { GET: (context) => listTasks(context, 'all') } },
  { path: '/task/queue', endpoint: '/mj/task/queue', answers: { GET: (context) => listTasks(context, 'queue') } },
  {
    path: '/image/{text}',
    endpoint: '/mj/image/:id',
    answers: { GET: (context, [id = '']) => showImage(context, id) },
  },
  { path: '/notify/{name}/{name}', endpoint: '/mj/notify', answers: { POST: hear } },
  { path: '/image/*', errorBody: ({ code }) => JSON.stringify({ error: code }) },
  { path: '/*', errorBody: (refusal, requestId) => JSON.stringify(errorObject(refusal, requestId)) },
];

export const midjourneyRows: readonly PathRow[] = ['/mj', '/mj-{mode}/mj'].flatMap((prefix) =>
  rowsBelow.map((row) => ({ ...row, path: prefix + row.path })),
);

const errorObject = (refusal: RelayError, requestId: string): Json => ({
  code: refusal instanceof TaskRefusal ? refusal.taskCode : 4,
  description: `${refusal.message} (request id: ${requestId})`,
  type: refusal.type,
  // Our own name of the refusal, next to the dialect's number.
  error: refusal.code,
});

async function submit(context: HttpContext, endpoint: string, kind: string): Promise<void> {
  const [, mode = 'fast'] = /^\/mj-([a-z]+)\//.exec(context.request.url ?? '') ?? [];
  if (!isMode(mode)) throw invalidTask('The mode must be mj-fast, mj-turbo or mj-relax.');
  return taskCall(context, {
    endpoint,
    platform: 'midjourney',
    order: (caller, body) => orders[kind]!(context.deps, caller, body, mode), // the row is named after it
    reply: replyOf,
  });
}

const isMode = (mode: string): mode is TaskMode => taskModes.some((known) => known === mode);

const shownProperties = ['finalPrompt', 'remix', 'numberOfQueues'] as const;

/** 21 only where the client has to confirm; an earlier or a queued task is as good as a new one. */
function replyOf({ taskId, receipt }: Submitted): Json {
  if (!receipt) return { code: 1, description: 'Submitted, not confirmed yet', result: taskId, properties: {} };
  const { description, properties } = receipt;
  const isModal = receipt.kind === 'accepted' && receipt.status === 'MODAL';
  const result = receipt.kind === 'accepted' && receipt.result !== undefined ? receipt.result : taskId;
  const shown = shownProperties.filter((name) => name in properties).map((name) => [name, properties[name]]);
  return {
    code: isModal ? 21 : 1,
    description: description || 'Submit success',
    result,
    properties: Object.fromEntries(shown) as Json,
  };
}

/** A caller's task. Throws a 404 for a task of another user. */
async function ownTask(context: HttpContext, id: string): Promise<TaskRow> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  await deps.book.caughtUp();
  const task = await findOwnTask(deps.db, caller.userId, 'midjourney', id);
  if (!task) throw taskNotFound();
  return task;
}

async function fetchTask(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await ownTask(context, id);
  sendJson(context, taskObject(context, task));
}

async function fetchTasks(context: HttpContext): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  const ids = await readIds(context, caller.userId);
  await deps.book.caughtUp();
  const tasks = await findOwnTasks(deps.db, caller.userId, 'midjourney', ids);
  sendJson(
    context,
    tasks.map((task) => taskObject(context, task)),
  );
}

const MOST_LISTED = 100;

/** The caller's latest tasks; of the queue, those that have not ended. */
async function listTasks(context: HttpContext, which: 'all' | 'queue'): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  await deps.book.caughtUp();
  let rows = deps.db
    .selectFrom('tasks')
    .where('user_id', '=', caller.userId)
    .where('platform', '=', 'midjourney')
    .where('hidden_at', '=', 0);
  if (which === 'queue') rows = rows.where('status', 'not in', finalStatuses);
  const tasks = await rows.selectAll().orderBy('id', 'desc').limit(MOST_LISTED).execute();
  sendJson(
    context,
    tasks.map((task) => taskObject(context, task)),
  );
}

async function cancel(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const task = await ownTask(context, id);
  const result = await cancelTask(context.deps, task);
  if (result !== 'cancelled' && result !== 'ended') throw invalidTask('The upstream cannot cancel this task.');
  sendJson(context, { code: 1, description: 'Success', result: id, properties: {} });
}

const SEED_MS = 60_000;

async function fetchSeed(context: HttpContext, [id = '']: readonly string[]): Promise<void> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  await checkRate(deps, caller);
  const task = await ownTask(context, id);
  const origin = await originOf(deps, task);
  const question = origin?.operation.seed?.(task.upstream_id);
  if (!origin || !question || task.upstream_id === '') throw originGone();
  const { status, text } = await deps.upstreams
    .ask({
      baseUrl: origin.channel.baseUrl,
      path: question.path,
      method: question.method,
      headers: { ...origin.key.headers, accept: 'application/json' },
      timeoutMs: SEED_MS,
      maxBytes: 64 * 1024,
      proxy: origin.key.proxy,
    })
    .catch((): never => {
      throw new TaskRefusal(502, 'The upstream did not answer.', 9, { type: 'upstream_error', code: 'no_answer' });
    });
  const { code, result } = objectOr(parseJson(text));
  if (status !== 200 || code !== 1)
    throw new TaskRefusal(400, 'The upstream has no seed for this task.', typeof code === 'number' ? code : 4, {
      type: 'upstream_error',
      code: 'no_seed',
    });
  sendJson(context, {
    code: 1,
    description: 'Success',
    result: isObject(result) ? '' : String(result),
    properties: {},
  });
}

/** An upstream's notification is only a hint: its content is not read. */
async function hear(context: HttpContext, [taskId = '', signature = '']: readonly string[]): Promise<void> {
  const { deps, request } = context;
  request.resume();
  if (!isNotifyPath(deps.config.secretKey, taskId, signature)) throw taskNotFound();
  await pollSoon(deps, taskId);
  sendJson(context, { code: 1 });
}
