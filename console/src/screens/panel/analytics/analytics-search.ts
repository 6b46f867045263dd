import { longestPeriod, usageGroupings, usageSteps, type UsageGrouping, type UsageStep } from '@relay-hub/contract';
import { customRange, datesOf, isPreset, type FilterValue, type FilterValues } from '#ui/table/filter.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { analyticsDefaults, type AnalyticsSearch } from './analytics-defaults.ts';

export const presetDays = [1, 7, 30, 90] as const;

/** Of one user or channel no more is known. */
const ofOne = ['model', 'owner'] as const satisfies UsageGrouping[];

export const isOfOne = ({ username, channel_id }: AnalyticsSearch): boolean => username !== '' || channel_id !== 0;

/** What can be told apart now. */
export const groupingsOf = (search: AnalyticsSearch): readonly UsageGrouping[] =>
  isOfOne(search) ? ofOne : usageGroupings;

export function groupingOf(search: AnalyticsSearch): UsageGrouping {
  return groupingsOf(search).find((by) => by === search.by) ?? 'model';
}

const stepOf = ({ step }: AnalyticsSearch): UsageStep | '' => usageSteps.find((each) => each === step) ?? '';

/** The period as the API takes it. */
export const periodOf = (search: AnalyticsSearch) => {
  const { days, from, to } = search;
  const step = stepOf(search);
  // Days are those of whoever looks, as in the log and on the dashboard.
  const time_zone = localTimeZone();
  if (from !== '' && to !== '') return { from, to, step, time_zone };
  return { days: days >= 1 && days <= longestPeriod ? Math.trunc(days) : analyticsDefaults.days, step, time_zone };
};

/** Whose usage, as the API takes it; a user goes before a channel, because there are no sums of both. */
export const whoseOf = ({ username, channel_id }: AnalyticsSearch) =>
  username !== '' ? { username } : channel_id !== 0 ? { channel_id } : {};

/** How many days from one date to another, both included. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;

/** Whether hours can be drawn: no more than a week of them. */
export function mayHours({ days, from, to }: AnalyticsSearch): boolean {
  return (from !== '' && to !== '' ? daysBetween(from, to) : days) <= 7;
}

/** A period as the range filter gives it: a preset, or two dates, of which one may be missing. */
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

/** The filters after a change by the toolbar, where what was cleared is undefined. Of user and channel, one at a time. */
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

/** The same period as the log takes it in its address. */
export function logTimeOf({ days, from, to }: AnalyticsSearch, dates: { first: string; last: string }): string {
  if (from === '' && days === 1) return 'today';
  if (from === '' && (days === 7 || days === 30)) return `${days}d`;
  return from !== '' && to !== '' ? customRange(from, to) : customRange(dates.first, dates.last);
}
