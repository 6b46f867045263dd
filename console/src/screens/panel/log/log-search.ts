import { rangeSeconds } from '#ui/table/filter.ts';
import type { LogFilters } from './log-defaults.ts';

/** The filters as the API takes them, without those that only administrators may use. */
export function queryOf(filters: LogFilters, admin: boolean) {
  const { start, end } = rangeSeconds(filters.time);
  const { log_type, model_name, token_id, token_name, request_id, username, source_ip, channel_id, losing } = filters;
  const { failed, stream, code, status } = filters;
  const times = { start_timestamp: start, end_timestamp: end };
  // The list includes refused calls unless it is filtered by type.
  const refusals = { refused: 1, code, status };
  const own = { log_type, model_name, token_id, token_name, request_id, failed, stream, ...refusals, ...times };
  return admin ? { ...own, username, source_ip, channel_id, losing } : own;
}
