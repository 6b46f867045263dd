import type { DashboardUsage, DayUsage } from '@relay-hub/contract';
import { fewCalls } from '#ui/format/number.ts';

export type Measure = 'quota' | 'requests' | 'tokens';

const measures: Record<Measure, (day: DayUsage) => number> = {
  quota: (day) => day.quota,
  requests: (day) => day.requests,
  tokens: (day) => day.prompt_tokens + day.completion_tokens,
};

/** The total of each day, today so far. */
export const valuesOf = ({ days }: DashboardUsage, measure: Measure): number[] =>
  days.map(({ total: day }) => measures[measure](day));

/** The total of each day up to today's last completed hour. */
export const sameHoursOf = ({ days }: DashboardUsage, of: (day: DayUsage) => number): number[] =>
  days.map(({ so_far: day }) => of(day));

export const measureOf = (measure: Measure): ((day: DayUsage) => number) => measures[measure];

/** The total of each model on each day. */
export const byModel = ({ models }: DashboardUsage, measure: Measure): { model: string; values: number[] }[] =>
  models.map((each) => ({ model: each.model, values: each[measure] })).filter(({ values }) => total(values) > 0);

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Share of successful calls; undefined if there are too few to compare. */
export const succeeded = ({ requests, failures, unserved }: DayUsage): number | undefined =>
  requests + unserved < fewCalls ? undefined : (requests - failures) / (requests + unserved);
