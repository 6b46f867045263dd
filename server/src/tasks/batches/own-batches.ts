import { isFinalTask } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import type { BatchOperation } from '#providers/batch-operation.ts';
import type { Caller } from '#live/callers.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import { queryOf } from '#relay/body/url-query.ts';
import { askVendor, polledTask, vendorCall } from '#tasks/ask-vendor.ts';
import { originOf } from '#tasks/origin-channel.ts';
import { pollSoon } from '#tasks/poll/poll-tasks.ts';
import { finalStatuses, findOwnTask, type TaskRow } from '#tasks/task-rows.ts';

/** A batch of the user in the API whose batches have this action. Throws a 404. */
export async function ownBatch(db: Db, userId: number, id: string, action: string): Promise<TaskRow> {
  const task = await findOwnTask(db, userId, 'batch', id);
  if (task?.action === action) return task;
  throw new RelayError(404, `No batch found with id '${id}'.`, {
    type: 'invalid_request_error',
    code: 'batch_not_found',
    param: 'id',
  });
}

/** Answers a caller with JSON, within their rate limit. */
export async function answerCaller(
  context: HttpContext,
  action: string,
  answer: (caller: Caller) => Promise<Json>,
): Promise<void> {
  const { deps, response, requestId } = context;
  const { caller } = await authenticate(context, dialectOf(action));
  const rate = await checkRate(deps, caller);
  try {
    await deps.book.caughtUp();
    const json = await answer(caller);
    if (!response.destroyed) sendJson(response, requestId, json, rate);
  } catch (error) {
    throw withRate(error, rate);
  }
}

/** Answers a request about one batch of the caller. */
export const answerTask = (
  context: HttpContext,
  id: string,
  action: string,
  answer: (task: TaskRow) => Json | Promise<Json>,
): Promise<void> =>
  answerCaller(context, action, async ({ userId }) => answer(await ownBatch(context.deps.db, userId, id, action)));

/** Asks the vendor to stop a batch of the caller, and answers with it. */
export const cancelBatch = (
  context: HttpContext,
  id: string,
  action: string,
  objectOf: (task: TaskRow) => Json,
): Promise<void> =>
  answerTask(context, id, action, async (task) => {
    await stopBatch(context.deps, task);
    return objectOf(await ownBatch(context.deps.db, task.user_id, id, action));
  });

const dialectOf = (action: string) =>
  action.startsWith('ANTHROPIC') ? 'anthropic' : action.startsWith('GEMINI') ? 'gemini' : 'openai';

const MAX_LISTED = 1000;

/** Answers with a page of the caller's batches, newest first. `taskIdOf`: of an id as the dialect shows it. */
export const answerPage = (
  context: HttpContext,
  action: string,
  objectOf: (task: TaskRow) => Json,
  taskIdOf: (id: string) => string = (id) => id,
): Promise<void> =>
  answerCaller(context, action, async ({ userId }) => {
    const { db } = context.deps;
    const query = queryOf(context);
    const limit = Number(query.get('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED)
      throw badRequest(`'limit' is not valid: it must be a whole number from 1 to ${MAX_LISTED}.`, 'limit');
    const idOf = async (id: string) => (await ownBatch(db, userId, taskIdOf(id), action)).id;
    const after = query.get('after') ?? query.get('after_id');
    const before = query.get('before_id');
    let rows = db
      .selectFrom('tasks')
      .where('user_id', '=', userId)
      .where('platform', '=', 'batch')
      .where('action', '=', action)
      .where('hidden_at', '=', 0);
    if (after !== null) rows = rows.where('id', '<', await idOf(after));
    else if (before !== null) rows = rows.where('id', '>', await idOf(before));
    const isBackward = after === null && before !== null;
    const found = await rows
      .selectAll()
      .orderBy('id', isBackward ? 'asc' : 'desc')
      .limit(limit + 1)
      .execute();
    const page = found.slice(0, limit);
    if (isBackward) page.reverse();
    const data = page.map(objectOf);
    return {
      ...(dialectOf(action) === 'openai' && { object: 'list' }),
      data,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
      has_more: found.length > limit,
    };
  });

const STOP_MS = 30_000;
const LARGEST_REPLY = 1024 * 1024;

/**
 * Asks the vendor to stop a batch; it ends, and is charged, when a poll reports that. Throws a 400 for one that has
 * ended, and a 502 if the vendor did not accept.
 */
async function stopBatch(deps: Deps, task: TaskRow): Promise<void> {
  // Not a 409, which clients repeat.
  if (isFinalTask(task.status)) throw badRequest('The batch has ended and cannot be cancelled.', 'id');
  const origin = await originOf(deps, task);
  if (!origin || task.upstream_id === '') throw notStopped();
  const operation = origin.operation as BatchOperation; // a task of the platform `batch` has no other
  const access = { ...origin, model: task.upstream_model };
  const polled = polledTask(task);
  try {
    const call = await vendorCall(deps, access);
    const limits = { timeoutMs: STOP_MS, maxBytes: LARGEST_REPLY };
    const answer = await askVendor(deps, access, call, operation.stop(polled, call), limits);
    if (operation.stops?.(answer)) return;
    const [report] = operation.reports(answer, [polled]) ?? [];
    if (answer.status !== 200 || !report || operation.stops) throw new Error(`the vendor answered ${answer.status}`);
    await deps.db
      .updateTable('tasks')
      .set({ data: JSON.stringify(operation.stopped(report.data)), updated_at: deps.now() })
      .where('id', '=', task.id)
      .where('status', 'not in', finalStatuses)
      .execute();
  } catch (error) {
    deps.log.info({ err: error, task: task.task_id }, 'a batch was not stopped');
    throw notStopped();
  } finally {
    await pollSoon(deps, task.task_id);
  }
}

const notStopped = (): RelayError =>
  new RelayError(502, 'The provider did not cancel the batch. Try again.', {
    type: 'upstream_error',
    code: 'batch_not_cancelled',
  });
