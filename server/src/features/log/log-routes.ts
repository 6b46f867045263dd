import { type Log, logApi, type LogContent, type ParsedOf } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { csv, type CsvColumn } from '#http/csv.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import { type Download, serve, serveFile } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { allLogs, allOwnLogs, type LogExport } from './all-logs.ts';
import { logsWithArchives } from './archive/archived-logs.ts';
import { logCsv } from './log-csv.ts';
import * as logs from './log-queries.ts';
import { totalsOf } from './log-totals.ts';
import { listUnknownKeys } from './unknown-key-queries.ts';

type OwnQuery = ParsedOf<typeof logApi.ownTotals>['query'];

export function logRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  // Makes refusals visible to a read that follows them.
  const caughtUp = () => deps.refusals.caughtUp();
  const within = async <Q extends OwnQuery>(viewer: Viewer, query: Q) => ({
    ...query,
    token_ids: await tokensWithin(db, viewer, query),
  });

  const contentOf = async ({ request_id, user_id }: Log): Promise<LogContent> => {
    const content = await deps.contentLog.find(request_id, user_id);
    ensure(content, 'record.not_found', { field: 'id' });
    return content;
  };

  serve(app, deps, logApi.list, async ({ query }) => {
    await caughtUp();
    return logs.listLogs(db, query);
  });
  serve(app, deps, logApi.ownList, async ({ query }, { viewer }) => {
    await caughtUp();
    return logs.listOwnLogs(db, viewer.id, await within(viewer, query));
  });
  serve(app, deps, logApi.totals, ({ query }) =>
    totalsOf(db, { ...query, channel_id: query.channel_id || query.channel }),
  );
  serve(app, deps, logApi.ownTotals, async ({ query }, { viewer }) =>
    totalsOf(db, await within(viewer, query), viewer.id),
  );
  serveFile(app, deps, logApi.download, async ({ query }, { language, reply }) => {
    await caughtUp();
    const found = query.archived === 1 ? await logsWithArchives(deps, query) : await allLogs(db, query);
    return fileOf(found, query, { columns: logCsv(language, query.time_zone, 'administrator'), reply });
  });
  serveFile(app, deps, logApi.ownDownload, async ({ query }, { viewer, language, reply }) => {
    await caughtUp();
    const found = await allOwnLogs(db, viewer.id, await within(viewer, query));
    return fileOf(found, query, { columns: logCsv(language, query.time_zone, 'owner'), reply });
  });
  serve(app, deps, logApi.unknownKeys, async ({ query }) => {
    await caughtUp();
    return listUnknownKeys(db, query);
  });
  serve(app, deps, logApi.get, ({ params }) => logs.getLog(db, params.id));
  serve(app, deps, logApi.content, async ({ params }) => contentOf(await logs.getLog(db, params.id)));
  serve(app, deps, logApi.ownContent, async ({ params }, { viewer }) =>
    contentOf(await logs.getOwnLog(db, viewer, params.id)),
  );
  serve(app, deps, logApi.ownGet, ({ params }, { viewer }) => logs.getOwnLog(db, viewer, params.id));
}

function fileOf(
  { rows, next }: LogExport,
  { after, limit }: { after: string; limit: number },
  { columns, reply }: { columns: CsvColumn<Log>[]; reply: FastifyReply },
): Download {
  if (limit > 0) void reply.header('x-next', next);
  return { name: 'log.csv', pieces: csv(columns, rows, { goesOn: after !== '' }) };
}
