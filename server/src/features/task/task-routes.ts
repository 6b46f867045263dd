import { midjourneyApi, taskApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serveRaw } from '#http/serve-raw.ts';
import { serve } from '#http/serve.ts';
import { cancelInScope } from './cancel-in-scope.ts';
import { taskMedia } from './task-media.ts';
import { getTask, listMidjourneyTasks, listTasks, taskTotals } from './task-queries.ts';

export function taskRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;

  serve(app, deps, taskApi.list, ({ query }) => listTasks(db, 'all', query, deps));
  serve(app, deps, taskApi.ownList, ({ query }, { viewer }) => listTasks(db, { userId: viewer.id }, query, deps));
  serve(app, deps, taskApi.get, ({ params }) => getTask(db, 'all', params.id, deps));
  serve(app, deps, taskApi.ownGet, ({ params }, { viewer }) => getTask(db, { userId: viewer.id }, params.id, deps));
  serveRaw(app, deps, taskApi.media, ({ params }, { request, response }) =>
    taskMedia({ deps, request: request.raw, response, requestId: request.id }, 'all', params),
  );
  serveRaw(app, deps, taskApi.ownMedia, ({ params }, { viewer, request, response }) =>
    taskMedia({ deps, request: request.raw, response, requestId: request.id }, { userId: viewer.id }, params),
  );
  serve(app, deps, taskApi.totals, ({ query }) => taskTotals(db, 'all', query));
  serve(app, deps, taskApi.ownTotals, ({ query }, { viewer }) => taskTotals(db, { userId: viewer.id }, query));

  serve(app, deps, taskApi.cancel, ({ params }) => cancelInScope(deps, 'all', params.id, deps));
  serve(app, deps, taskApi.ownCancel, ({ params }, { viewer }) =>
    cancelInScope(deps, { userId: viewer.id }, params.id, deps),
  );

  serve(app, deps, midjourneyApi.list, ({ query }) => listMidjourneyTasks(db, 'all', query, deps));
  serve(app, deps, midjourneyApi.ownList, ({ query }, { viewer }) =>
    listMidjourneyTasks(db, { userId: viewer.id }, query, deps),
  );
}
