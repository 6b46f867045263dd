import { midjourneyApi, taskApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serveRaw } from '#http/serve-raw.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import { serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { cancelInScope } from './cancel-in-scope.ts';
import { taskMedia } from './task-media.ts';
import { getTask, listMidjourneyTasks, listTasks, type TaskScope, taskTotals } from './task-queries.ts';

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
