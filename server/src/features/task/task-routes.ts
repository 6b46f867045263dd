import { midjourneyApi, type Task, taskApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serveRaw, type WriteResponse } from '#http/serve-raw.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import { serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { AppError } from '#errors.ts';
import { type Cancellation, cancelTask } from '#tasks/cancel-task.ts';
import { type FileContext, openMedia, sendOpened } from '#tasks/media/send-file.ts';
import { TaskRefusal } from '#tasks/task-refusal.ts';
import {
  getTask,
  listMidjourneyTasks,
  listTasks,
  taskInScope,
  type TaskReading,
  type TaskScope,
  taskTotals,
} from './task-queries.ts';

const refusals = {
  ended: 'task.ended',
  running: 'task.cancel_refused',
  unsupported: 'task.not_cancellable',
} as const satisfies Record<Exclude<Cancellation, 'cancelled'>, string>;

/**
 * Cancels a task of the scope at its vendor. Returns its new state. Throws `record.not_found`, and the code in
 * `refusals` if it was not cancelled.
 */
async function cancelInScope(deps: Deps, scope: TaskScope, id: number, reading: TaskReading): Promise<Task> {
  const cancellation = await cancelTask(deps, await taskInScope(deps.db, scope, id));
  if (cancellation !== 'cancelled') throw new AppError(refusals[cancellation]);
  return getTask(deps.db, scope, id, reading);
}

export function taskRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  const own = async (viewer: Viewer): Promise<TaskScope> => ({
    userId: viewer.id,
    tokenIds: await tokensWithin(db, viewer, {}),
  });

  serve(app, deps, taskApi.list, ({ query }) => listTasks(db, 'all', query, deps));
  serve(app, deps, taskApi.ownList, async ({ query }, { viewer }) => listTasks(db, await own(viewer), query, deps));
  serve(app, deps, taskApi.get, ({ params }) => getTask(db, 'all', params.id, deps));
  serve(app, deps, taskApi.ownGet, async ({ params }, { viewer }) => getTask(db, await own(viewer), params.id, deps));
  serveRaw(app, deps, taskApi.media, ({ params }, { request, response }) =>
    taskMedia({ deps, request: request.raw, response, requestId: request.id }, 'all', params),
  );
  serveRaw(app, deps, taskApi.ownMedia, async ({ params }, { viewer, request, response }) =>
    taskMedia({ deps, request: request.raw, response, requestId: request.id }, await own(viewer), params),
  );
  serve(app, deps, taskApi.totals, ({ query }) => taskTotals(db, 'all', query));
  serve(app, deps, taskApi.ownTotals, async ({ query }, { viewer }) => taskTotals(db, await own(viewer), query));

  serve(app, deps, taskApi.cancel, ({ params }) => cancelInScope(deps, 'all', params.id, deps));
  serve(app, deps, taskApi.ownCancel, async ({ params }, { viewer }) =>
    cancelInScope(deps, await own(viewer), params.id, deps),
  );

  serve(app, deps, midjourneyApi.list, ({ query }) => listMidjourneyTasks(db, 'all', query, deps));
  serve(app, deps, midjourneyApi.ownList, async ({ query }, { viewer }) =>
    listMidjourneyTasks(db, await own(viewer), query, deps),
  );
}

/**
 * Opens a result file for a signed-in user. The returned function sends it. Throws `record.not_found`,
 * `task.media_expired` and `task.media_failed`.
 */
async function taskMedia(
  context: FileContext,
  scope: TaskScope,
  { id, index }: { id: number; index: number },
): Promise<WriteResponse> {
  const task = await taskInScope(context.deps.db, scope, id);
  try {
    const opened = await openMedia(context, task, { index, isCover: false });
    return () => sendOpened(context, task, opened);
  } catch (error) {
    if (!(error instanceof TaskRefusal)) throw error;
    throw new AppError(
      error.status === 404 ? 'record.not_found' : error.status === 410 ? 'task.media_expired' : 'task.media_failed',
    );
  }
}
