import { rangeSeconds, type FilterValues } from '#ui/table/filter.ts';
import { byNumber, type AuditFilters, type AuditSearch } from './audit-defaults.ts';

/** The filters as the API takes them. */
export function queryOf({ time, actor, kind, object_id, keyword, result }: AuditFilters) {
  const { start, end } = rangeSeconds(time);
  return { actor, kind, object_id, keyword, result, start_timestamp: start, end_timestamp: end };
}

/** Filters after a change by the toolbar, where a filter that was cleared is undefined. */
export function changed(filters: AuditFilters, change: FilterValues): AuditFilters {
  const value = (name: keyof AuditFilters) => (name in change ? change[name] : filters[name]);
  const text = (name: keyof AuditFilters) => String(value(name) ?? '');
  return {
    time: text('time'),
    actor: text('actor'),
    kind: text('kind'),
    object_id: text('object_id'),
    keyword: text('keyword'),
    result: Number(value('result') ?? 0),
  };
}

/** A step to the next or previous page goes on from the rows in sight, so that new ones shift nothing. */
export function stepOf(
  now: AuditSearch,
  change: Partial<AuditSearch>,
  seen: { next: string; previous: string } | undefined,
): Partial<AuditSearch> {
  if (change.page === undefined) return change;
  const step = change.page - now.page;
  if (step === 1 && seen?.next) return { ...change, after: Number(seen.next), before: 0 };
  if (step === -1 && change.page > 1 && seen?.previous) return { ...change, after: 0, before: Number(seen.previous) };
  return { ...change, ...byNumber };
}
