import { logType } from '@relay-hub/contract';
import { rangeSeconds, type FilterValues } from '#shared/filter.ts';

/** The list's state as it stands in the address; filters go by the names that the API gives them. */
export interface LogSearch {
  page: number;
  size: number;
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  log_type: number;
  model_name: string;
  token_name: string;
  request_id: string;
  username: string;
  source_ip: string;
  channel_id: number;
  /** The row whose detail is open. */
  id: number;
}

export const noLogFilters = {
  time: '',
  log_type: logType.all as number,
  model_name: '',
  token_name: '',
  request_id: '',
  username: '',
  source_ip: '',
  channel_id: 0,
};
export type LogFilters = typeof noLogFilters;
export type LogFilterName = keyof LogFilters;

export const logDefaults: LogSearch = { page: 1, size: 30, order: '-created_at', ...noLogFilters, id: 0 };

/** The filters as the API takes them; what a user cannot ask for is left out of a user's. */
export function queryOf(filters: LogFilters, admin: boolean) {
  const { start, end } = rangeSeconds(filters.time);
  const { log_type, model_name, token_name, request_id, username, source_ip, channel_id } = filters;
  const own = { log_type, model_name, token_name, request_id, start_timestamp: start, end_timestamp: end };
  return admin ? { ...own, username, source_ip, channel_id } : own;
}

/** Filters after a change by the toolbar, where a filter that was cleared is undefined. */
export function changed(filters: LogFilters, change: FilterValues): LogFilters {
  const entries = Object.entries(noLogFilters).map(([name, none]) => {
    const now = name in change ? change[name] : filters[name as LogFilterName]; // names are those of noLogFilters
    return [name, now === undefined ? none : typeof none === 'number' ? Number(now) : String(now)];
  });
  return Object.fromEntries(entries) as LogFilters; // every name, each with its default's type
}
