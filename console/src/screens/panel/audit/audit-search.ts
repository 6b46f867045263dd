import { rangeSeconds } from '#ui/table/filter.ts';
import type { AuditFilters } from './audit-defaults.ts';

export function queryOf({ time, actor, kind, object_id, keyword, result }: AuditFilters) {
  const { start, end } = rangeSeconds(time);
  return { actor, kind, object_id, keyword, result, start_timestamp: start, end_timestamp: end };
}
