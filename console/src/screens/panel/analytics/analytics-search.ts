import {
  longestPeriod,
  ownGroupings,
  tokenGroupings,
  usageGroupings,
  usageSteps,
  type UsageGrouping,
  type UsageStep,
} from '@relay-hub/contract';
import { currentAccount } from '#api/session.ts';
import { customRange, datesOf, isPreset, type FilterValue, type FilterValues } from '#ui/table/filter.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { analyticsDefaults, type AnalyticsSearch } from './analytics-defaults.ts';

export const presetDays = [1, 7, 30, 90] as const;

/** The groupings available for one user or channel. */
const ofUser = ['model', 'owner', 'token', 'tag'] as const satisfies UsageGrouping[];
const ofChannel = ['model', 'owner'] as const satisfies UsageGrouping[];

/** Whether the page shows one user or channel of the hub. */
export const isOfOne = ({ username, channel_id }: AnalyticsSearch): boolean => username !== '' || channel_id !== 0;

/** The groupings available for a search. */
export function groupingsOf(search: AnalyticsSearch, ofHub: boolean): readonly UsageGrouping[] {
  if (!ofHub) return currentAccount() ? ownGroupings : ownGroupings.filter((by) => by !== 'member');
  if (search.username !== '') return ofUser;
  // Tokens of all users are too many to compare.
  return search.channel_id === 0 ? usageGroupings.filter((by) => !tokenGroupings.includes(by)) : ofChannel;
}

export function groupingOf(search: AnalyticsSearch, ofHub: boolean): UsageGrouping {
  return groupingsOf(search, ofHub).find((by) => by === search.by) ?? 'model';
}

const stepOf = ({ step }: AnalyticsSearch): UsageStep | '' => usageSteps.find((each) => each === step) ?? '';

/** The period as API parameters. */
export const periodOf = (search: AnalyticsSearch) => {
  const { days, from, to } = search;
  const step = stepOf(search);
  // Days are in the reader's time zone, as in the log and on the dashboard.
  const time_zone = localTimeZone();
  if (from !== '' && to !== '') return { from, to, step, time_zone };
  return { days: days >= 1 && days <= longestPeriod ? Math.trunc(days) : analyticsDefaults.days, step, time_zone };
};

/** User or channel as API parameters; only one of them, since there are no totals for both together. */
export const whoseOf = ({ username, channel_id }: AnalyticsSearch) =>
  username !== '' ? { username } : channel_id !== 0 ? { channel_id } : {};

/** One of the own tokens as API parameter. */
export const ownOf = ({ token_id }: AnalyticsSearch) => (token_id === 0 ? {} : { token_id });

/** Number of days between two dates, both included. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

/** Whether the period is short enough for hours: at most a week. */
export function mayHours({ days, from, to }: AnalyticsSearch): boolean {
  return (from !== '' && to !== '' ? daysBetween(from, to) : days) <= 7;
}

/** The period from the range filter's value: a preset, or two dates of which one may be missing. */
export function chosenPeriod(
  value: FilterValue | undefined,
  today: string,
): Pick<AnalyticsSearch, 'days' | 'from' | 'to' | 'step'> {
  const none = { from: '', to: '', step: '' };
  if (value === 'today') return { ...none, days: 1 };
  if (value === '30d') return { ...none, days: 30 };
  const yesterday = dayBefore(today);
  const dates = isPreset(value) ? { from: yesterday, to: yesterday } : datesOf(value);
  if (value === '7d' || (dates.from === '' && dates.to === '')) return { ...none, days: 7 };
  const from = dates.from === '' ? dates.to : dates.from;
  const to = dates.to === '' ? (from > today ? from : today) : dates.to;
  return { ...none, days: 7, ...(from <= to ? { from, to } : { from: to, to: from }) };
}

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
}

/** The filters after a change in the toolbar, where undefined clears one. User and channel exclude each other. */
export function changed(
  search: AnalyticsSearch,
  change: FilterValues,
): Pick<AnalyticsSearch, 'username' | 'channel_id'> {
  const text = (name: 'username' | 'channel_id') => String((name in change ? change[name] : search[name]) ?? '');
  const [username, channel] = [text('username'), Number(text('channel_id'))];
  if (username !== '' && channel !== 0)
    return change['channel_id'] ? { username: '', channel_id: channel } : { username, channel_id: 0 };
  return { username, channel_id: channel };
}

/** The same period in the log's address. */
export function logTimeOf({ days, from, to }: AnalyticsSearch, dates: { first: string; last: string }): string {
  if (from === '' && days === 1) return 'today';
  if (from === '' && (days === 7 || days === 30)) return `${days}d`;
  return from !== '' && to !== '' ? customRange(from, to) : customRange(dates.first, dates.last);
}
