import { isAdmin, logType, type UsageGroup } from '@relay-hub/contract';
import { currentUser } from '#api/session.ts';
import { customRange } from '#ui/table/filter.ts';
import type { Shown } from './analytics-api.ts';

interface Linked extends Shown {
  /** Undefined: all groups, or the rest. */
  group?: Pick<UsageGroup, 'id' | 'name'> | undefined;
}

/** The log's filters for everything that the page shows. An administrator's own calls are among those of all users. */
export function logWhose({ search, ofHub }: Shown) {
  if (ofHub) return { username: search.username, channel_id: search.channel_id };
  const user = currentUser();
  return { username: user && isAdmin(user.role) ? user.username : '', channel_id: 0 };
}

/** The log's filters for the calls of a group; the log cannot find owners and user groups. */
export function logFiltersOf({ group, ...page }: Linked) {
  const shown = { log_type: logType.consume, ...logWhose(page) };
  const { by } = page;
  if (!group) return shown;
  if (by === 'model') return { ...shown, model_name: group.id };
  if (by === 'channel') return { ...shown, channel_id: Number(group.id) };
  if (by === 'user') return { ...shown, username: group.name };
  // Usage of before an update has no token.
  return by === 'token' && group.id !== '0' ? { ...shown, token_id: Number(group.id) } : shown;
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
