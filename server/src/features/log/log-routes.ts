import { logApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as logs from './log-queries.ts';

export function logRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  serve(app, deps, logApi.list, ({ query }) => logs.listLogs(db, query));
  serve(app, deps, logApi.ownList, ({ query }, { viewer }) => logs.listOwnLogs(db, viewer.id, query));
  serve(app, deps, logApi.totals, ({ query }) =>
    logs.totalsOf(db, { ...query, channel_id: query.channel_id || query.channel }),
  );
  serve(app, deps, logApi.ownTotals, ({ query }, { viewer }) => logs.totalsOf(db, query, viewer.id));
  serve(app, deps, logApi.get, ({ params }) => logs.getLog(db, params.id));
  serve(app, deps, logApi.ownGet, ({ params }, { viewer }) => logs.getOwnLog(db, viewer.id, params.id));
}
