import { auditApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import { rangeSeconds } from '#ui/table/filter.ts';
import type { AuditFilters, AuditSearch } from './audit-defaults.ts';

// The list and the detail show their own failures.
const quiet = { meta: { quiet: true } };

export const auditPage = ({ page, size, after, before, ...filters }: AuditSearch) =>
  queryOptions({ ...apiQuery(auditApi.list, { query: { page, size, after, before, ...queryOf(filters) } }), ...quiet });

export const auditEntry = (id: number) =>
  queryOptions({ ...apiQuery(auditApi.get, { params: { id } }), ...quiet, staleTime: Infinity });

export async function countAudit(filters: AuditFilters): Promise<{ total: number; more: boolean }> {
  const { total_count: total, more } = await call(auditApi.list, { query: { size: 1, ...queryOf(filters) } });
  return { total, more };
}

/** Address of a CSV file with all entries that the filters find. */
export function downloadAddress(filters: AuditFilters): string {
  const { start_timestamp: start, end_timestamp: end, ...query } = queryOf(filters);
  return csvAddress(auditApi.download.path, { ...query, start_timestamp: start || '', end_timestamp: end || '' });
}

function queryOf({ time, actor, kind, object_id, account_id, keyword, result }: AuditFilters) {
  const { start, end } = rangeSeconds(time);
  return { actor, kind, object_id, account_id, keyword, result, start_timestamp: start, end_timestamp: end };
}
