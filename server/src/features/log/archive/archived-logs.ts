import { existsSync } from 'node:fs';
import type { Log, LogMetadata } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { allLogs, type LogExport, type LogExportQuery } from '../all-logs.ts';
import type { LogRow } from '../log-row.ts';
import { withChannels } from '../log-queries.ts';
import { type LogSearch, searchOf } from '../log-search.ts';
import { directionOf } from '../log-sort.ts';
import { archivePath } from './archive-parts.ts';
import { type ArchivedCall, readCalls } from './parquet-calls.ts';

/**
 * All matching rows, each in order of time: of the log, and before or after them those of archives. Throws
 * `log.archive_elsewhere`, and `log.archiving` while calls of this range are being deleted from the log.
 */
export async function logsWithArchives(deps: Deps, query: LogExportQuery): Promise<LogExport> {
  const { db } = deps;
  const search = await searchOf(db, query);
  const going = directionOf(query.order) ?? 'desc';
  const parts = await db
    .selectFrom('log_archives')
    .where('state', '<>', 'writing')
    .where('from_time', '<=', search.to)
    .where('until_time', '>', search.from)
    .selectAll()
    .orderBy('from_time', going)
    .orderBy('part', going)
    .execute();
  for (const part of parts) {
    ensure(part.state === 'done', 'log.archiving');
    ensure(existsSync(archivePath(deps, part)), 'log.archive_elsewhere', { host: part.host });
  }
  async function* archived(): AsyncGenerator<Log, void> {
    for (const part of parts)
      for await (const calls of readCalls(archivePath(deps, part), { from: search.from, to: search.to, going }))
        yield* await withChannels(db, calls.filter((call) => matches(call, search)).map(rowOf));
  }
  const { rows } = await allLogs(db, { ...query, after: '', limit: 0 });
  return { rows: inTurn(going === 'asc' ? [archived(), rows] : [rows, archived()]), next: '' };
}

async function* inTurn<T>(parts: AsyncIterable<T>[]): AsyncGenerator<T, void> {
  for (const part of parts) yield* part;
}

/** The same conditions as `pathOf`. */
function matches(call: ArchivedCall, search: LogSearch): boolean {
  const { type, model, tokenId } = search;
  const at = call.created_at;
  const isModel =
    model === undefined ||
    (model.endsWith('*') ? call.model_name.startsWith(model.slice(0, -1)) : call.model_name === model);
  const isToken = tokenId === undefined || [tokenId].flat().includes(call.token_id);
  return (
    (type === undefined || type === logType.consume) &&
    at >= search.from &&
    at <= search.to &&
    isModel &&
    isToken &&
    (!search.failed || call.failed) &&
    (!search.losing || (call.cost ?? 0) > call.quota * 1000) &&
    is(search.userId, call.user_id) &&
    is(search.username, call.username) &&
    is(search.channelId, call.channel_id) &&
    is(search.stream, call.is_stream) &&
    is(search.tokenName, call.token_name) &&
    is(search.requestId, call.request_id) &&
    is(search.sourceIp, call.source_ip)
  );
}

const is = <T>(wanted: T | undefined, value: T): boolean => wanted === undefined || wanted === value;

function rowOf(call: ArchivedCall): LogRow {
  const { metadata } = call;
  // It was in the column of the log, which has this type.
  return { ...call, metadata: metadata === null ? null : (JSON.parse(metadata) as LogMetadata) };
}
