/** Kling's API in its legacy form and the paths of its newer form, as their clients speak them. */
import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathOwner, ServedPath } from '#relay/types/path-row.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { taskCall } from '#tasks/submit/task-call.ts';
import { invalidTask, taskNotFound } from '#tasks/task-refusal.ts';
import { getTask, isStorable, type TaskRow } from '#tasks/task-rows.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { decodedPart } from '../decoded-part.ts';
import { codedErrorBody } from '../error-body.ts';
import { sendJson } from '../send-json.ts';
import { type KlingAction, klingActions, klingOrder } from './kling-order.ts';
import { klingTask, newKlingTask } from './kling-task.ts';
import { newKlingOrder } from './new-kling-order.ts';

const anyPath = /^\/kling(?:\/(.*))?$/;

export const klingDialect: PathOwner = {
  find(path) {
    const [whole, rest = ''] = anyPath.exec(path) ?? [];
    return whole === undefined ? undefined : (legacyPath(rest) ?? newPath(rest));
  },
  errorBody: (path, refusal, requestId) => (anyPath.test(path) ? codedErrorBody(refusal, requestId) : undefined),
};

function legacyPath(rest: string): ServedPath | undefined {
  const [, kind = '', action = '', id] = /^v1\/([\w-]+)\/([\w-]+)(?:\/([^/]{1,300}))?$/.exec(rest) ?? [];
  if (action === '') return undefined;
  const refuse = () => Promise.reject(invalidTask('This class or action is not served.'));
  if (kind !== 'videos' || !isAction(action)) return { endpoint: '/kling/v1', answers: { POST: refuse, GET: refuse } };
  const endpoint = `/kling/v1/videos/${action}`;
  if (id === undefined)
    return { endpoint, answers: { POST: (context) => submit(context, endpoint, action), GET: list(action) } };
  return {
    endpoint: `${endpoint}/:id`,
    answers: {
      GET: async (context) => sendData(context, klingTask(context, await taskNamed(context, decodedPart(id) ?? ''))),
    },
  };
}

const isAction = (action: string): action is KlingAction => klingActions.some((known) => known === action);

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

const list =
  (action: KlingAction) =>
  async (context: HttpContext): Promise<void> => {
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
  };

function wholeIn(query: URLSearchParams, name: string, { otherwise, most }: { otherwise: number; most: number }) {
  const text = query.get(name) ?? String(otherwise);
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw invalidTask(`'${name}' is not valid: it must be from 1 to ${most}.`, name);
  return Number(text);
}

const ownRows = ({ deps: { db } }: HttpContext, userId: number) =>
  db.selectFrom('tasks').where('user_id', '=', userId).where('hidden_at', '=', 0);

/** A caller's task, by our id or by their own. Throws a 404. */
async function taskNamed(context: HttpContext, name: string): Promise<TaskRow> {
  const { deps } = context;
  const { caller } = await authenticate(context);
  if (name === '' || !isStorable(name)) throw taskNotFound();
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

function newPath(rest: string): ServedPath | undefined {
  if (rest === 'tasks') return { endpoint: '/kling/tasks', answers: { GET: fetchTasks } };
  const [, action = '', text = ''] = /^(text-to-video|image-to-video)\/([^/]{1,200})$/.exec(rest) ?? [];
  const model = decodedPart(text) ?? '';
  if (action === '' || model === '') return undefined;
  const endpoint = `/kling/${action}/:model`;
  const order = (context: HttpContext): Promise<void> =>
    taskCall(context, {
      endpoint,
      platform: 'video',
      repeats: true,
      order: (_, body) => newKlingOrder(body, model, action === 'image-to-video'),
      reply: async ({ taskId }) => enveloped(context, newKlingTask(context, await getTask(context.deps.db, taskId))),
    });
  return { endpoint, answers: { POST: order } };
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
