import { rangeSeconds, type FilterValues } from '#ui/table/filter.ts';
import { byNumber, type LogFilterName, type LogFilters, type LogSearch, noLogFilters } from './log-defaults.ts';

/** The filters as the API takes them; what a user cannot ask for is left out of a user's. */
export function queryOf(filters: LogFilters, admin: boolean) {
  const { start, end } = rangeSeconds(filters.time);
  const { log_type, model_name, token_name, request_id, username, source_ip, channel_id, failed, stream } = filters;
  const { code, status } = filters;
  const times = { start_timestamp: start, end_timestamp: end };
  // Refused calls stand among the others, unless a type is asked for.
  const refusals = { refused: 1, code, status };
  const own = { log_type, model_name, token_name, request_id, failed, stream, ...refusals, ...times };
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

/**
 * A change of what is shown, and from where: a step to the next or previous page goes on from the rows in sight, so
 * that new ones shift nothing; all else is found by its number.
 */
export function stepOf(
  now: LogSearch,
  change: Partial<LogSearch>,
  seen: { next: string; previous: string } | undefined,
): Partial<LogSearch> {
  if (change.page === undefined) return change;
  const step = change.page - now.page;
  if (step === 1 && seen && seen.next !== '') return { ...change, after: seen.next, before: '' };
  if (step === -1 && change.page > 1 && seen && seen.previous !== '')
    return { ...change, after: '', before: seen.previous };
  return { ...change, ...byNumber };
}
