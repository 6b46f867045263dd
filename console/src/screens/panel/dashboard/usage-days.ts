import type { DashboardUsage, DayUsage } from '@relay-hub/contract';

export type Measure = 'quota' | 'requests' | 'tokens';

const measures: Record<Measure, (day: DayUsage) => number> = {
  quota: (day) => day.quota,
  requests: (day) => day.requests,
  tokens: (day) => day.prompt_tokens + day.completion_tokens,
};

/** What each day came to, today so far. */
export const valuesOf = ({ days }: DashboardUsage, measure: Measure): number[] =>
  days.map(({ total: day }) => measures[measure](day));

/** What each day came to up to the same hour: the last whole one of today. */
export const sameHoursOf = ({ days }: DashboardUsage, of: (day: DayUsage) => number): number[] =>
  days.map(({ so_far: day }) => of(day));

export const measureOf = (measure: Measure): ((day: DayUsage) => number) => measures[measure];

/** What each model had on each day. */
export const byModel = ({ models }: DashboardUsage, measure: Measure): { model: string; values: number[] }[] =>
  models.map((each) => ({ model: each.model, values: each[measure] })).filter(({ values }) => total(values) > 0);

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The share of calls that went well; undefined where there were none. */
export const succeeded = ({ requests, failures }: DayUsage): number | undefined =>
  requests === 0 ? undefined : 1 - failures / requests;

/** How many days a balance lasts at the pace since the first spending day; undefined when nothing is or can be spent. */
export function daysLeft(balance: number, spent: readonly number[]): number | undefined {
  const first = spent.findIndex((value) => value > 0);
  if (first < 0 || balance <= 0) return undefined;
  return balance / (total(spent) / (spent.length - first));
}
