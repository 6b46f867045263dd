import { logType, type UsageGroup, type UsageGrouping } from '@relay-hub/contract';
import { customRange } from '#ui/table/filter.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';

interface Linked {
  search: AnalyticsSearch;
  by: UsageGrouping;
  /** Undefined: all groups, or the rest. */
  group?: Pick<UsageGroup, 'id' | 'name'> | undefined;
}

/** The log's filters for the calls of a group; the log cannot find owners and user groups. */
export function logFiltersOf({ search, by, group }: Linked) {
  const { username, channel_id } = search;
  const shown = { log_type: logType.consume, username, channel_id };
  if (!group) return shown;
  if (by === 'model') return { ...shown, model_name: group.id };
  if (by === 'channel') return { ...shown, channel_id: Number(group.id) };
  if (by === 'user') return { ...shown, username: group.name };
  return by === 'token' ? { ...shown, token_name: group.name } : shown;
}

/** The log's period for a point: whole days, or an hour of one. Dates and times are local, as in the report. */
export function logSpanOf(date: string, step: 'hour' | 'day' | 'month'): string {
  if (step === 'day') return customRange(date, date);
  if (step === 'hour') {
    const hour = date.slice(0, 13).replace(' ', 'T');
    return customRange(`${hour}:00`, `${hour}:59`);
  }
  const [year = 0, month = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return customRange(`${date}-01`, `${date}-${last}`);
}
