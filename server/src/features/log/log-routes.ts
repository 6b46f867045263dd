import { logApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { allLogs, allOwnLogs } from './all-logs.ts';
import { logCsv } from './log-csv.ts';
import * as logs from './log-queries.ts';
import { totalsOf } from './log-totals.ts';
import { listUnknownKeys } from './unknown-key-queries.ts';

export function logRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  // Makes refusals visible to a read that follows them.
  const caughtUp = () => deps.refusals.caughtUp();

  serve(app, deps, logApi.list, async ({ query }) => {
    await caughtUp();
    return logs.listLogs(db, query);
  });
  serve(app, deps, logApi.ownList, async ({ query }, { viewer }) => {
    await caughtUp();
    return logs.listOwnLogs(db, viewer.id, query);
  });
  serve(app, deps, logApi.totals, ({ query }) =>
    totalsOf(db, { ...query, channel_id: query.channel_id || query.channel }),
  );
  serve(app, deps, logApi.ownTotals, ({ query }, { viewer }) => totalsOf(db, query, viewer.id));
  serveFile(app, deps, logApi.download, async ({ query }, { language }) => {
    await caughtUp();
    return { name: 'log.csv', pieces: csv(logCsv(language, query.time_zone, 'administrator'), allLogs(db, query)) };
  });
  serveFile(app, deps, logApi.ownDownload, async ({ query }, { viewer, language }) => {
    await caughtUp();
    return {
      name: 'log.csv',
      pieces: csv(logCsv(language, query.time_zone, 'owner'), allOwnLogs(db, viewer.id, query)),
    };
  });
  serve(app, deps, logApi.unknownKeys, async ({ query }) => {
    await caughtUp();
    return listUnknownKeys(db, query);
  });
  serve(app, deps, logApi.get, ({ params }) => logs.getLog(db, params.id));
  serve(app, deps, logApi.ownGet, ({ params }, { viewer }) => logs.getOwnLog(db, viewer.id, params.id));
}
