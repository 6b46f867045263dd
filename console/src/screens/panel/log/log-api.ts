import { channelApi, logApi, type LogPage, type LogTotals, tokenAdminApi, tokenApi } from '@relay-hub/contract';
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { allPages } from '#api/all-pages.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import { rangeSeconds } from '#ui/table/filter.ts';
import type { LogFilters, LogSearch } from './log-defaults.ts';

// The list, its sums and the detail show their own failures.
const meta = { quiet: true };

/** Administrators query all rows, others their own; both have the same shape. */
const quietQuery = <T>(options: { queryKey: QueryKey; queryFn: (context: { signal: AbortSignal }) => Promise<T> }) =>
  queryOptions({ queryKey: options.queryKey, queryFn: ({ signal }) => options.queryFn({ signal }), meta });

export function logPage({ page, size, order, after, before, ...filters }: LogSearch, admin: boolean) {
  const query = { page, size, order, after, before, ...queryOf(filters, admin) };
  const endpoint = admin ? logApi.list : logApi.ownList;
  return quietQuery<LogPage>({
    queryKey: [endpoint.path, { query }],
    queryFn: ({ signal }) => (admin ? call(logApi.list, { query, signal }) : call(logApi.ownList, { query, signal })),
  });
}

export function logTotals(filters: LogFilters, admin: boolean) {
  const query = queryOf(filters, admin);
  const endpoint = admin ? logApi.totals : logApi.ownTotals;
  return quietQuery<LogTotals>({
    queryKey: [endpoint.path, { query }],
    queryFn: ({ signal }) =>
      admin ? call(logApi.totals, { query, signal }) : call(logApi.ownTotals, { query, signal }),
  });
}

export function logRow(id: number, admin: boolean) {
  const params = { id };
  return { ...apiQuery(admin ? logApi.get : logApi.ownGet, { params }), meta };
}

export async function countLogs(
  filters: LogFilters,
  admin: boolean,
  signal?: AbortSignal,
): Promise<{ total: number; more: boolean }> {
  const query = { page: 1, size: 1, order: '', ...queryOf(filters, admin) };
  const counted = admin ? call(logApi.list, { query, signal }) : call(logApi.ownList, { query, signal });
  const { total_count: total, more } = await counted;
  return { total, more };
}

/** Address of a CSV file with all rows that the filters find, or a part of them. */
export function downloadAddress(
  { order, ...filters }: LogFilters & { order: string },
  admin: boolean,
  part?: { after: string; limit: number },
): string {
  const { path } = admin ? logApi.download : logApi.ownDownload;
  return csvAddress(path, { ...queryOf(filters, admin), order, ...part });
}

/** The present name of a token; fails for a deleted one. */
export const tokenName = (id: number, admin: boolean) =>
  queryOptions({
    ...apiQuery(admin ? tokenAdminApi.get : tokenApi.get, { params: { id } }),
    select: ({ name }) => name,
    staleTime: 60_000,
    retry: false,
    meta,
  });

/** Tokens by the start of their name or tag, or by the last four characters of their key. */
export const tokensLike = (keyword: string, admin: boolean) =>
  queryOptions({
    ...apiQuery(admin ? tokenAdminApi.list : tokenApi.list, { query: { keyword, size: 5 } }),
    select: ({ data }) => data.map(({ id, name, key }) => ({ id, name, key })),
    staleTime: 10_000,
    enabled: keyword.length > 1,
    meta,
  });

export interface NamedChannel {
  id: number;
  name: string;
}

/** The names of all channels, for the channel filter. */
export const channelNames = queryOptions({
  queryKey: [channelApi.list.path, 'names'],
  queryFn: async ({ signal }): Promise<NamedChannel[]> => {
    const channels = await allPages((part) => call(channelApi.list, { query: { ...part, order: 'name' }, signal }));
    return channels.map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
  meta,
});

/** The filters as the API takes them, without those that only administrators may use. */
function queryOf(filters: LogFilters, admin: boolean) {
  const { start, end } = rangeSeconds(filters.time);
  const { log_type, model_name, token_id, token_name, request_id, username, source_ip, channel_id, losing } = filters;
  const { failed, stream, code, status, member_id, tag } = filters;
  const times = { start_timestamp: start, end_timestamp: end };
  // The list includes refused calls unless it is filtered by type.
  const refusals = { refused: 1, code, status };
  const own = { log_type, model_name, token_id, token_name, request_id, failed, stream, ...refusals, ...times };
  return admin ? { ...own, username, source_ip, channel_id, losing } : { ...own, member_id, tag };
}
