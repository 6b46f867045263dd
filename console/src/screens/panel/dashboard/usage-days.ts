import type { UsageDay } from '@relay-hub/contract';

export const shownDays = 7;

export type Measure = 'quota' | 'requests' | 'tokens';

const measures: Record<Measure, (row: UsageDay) => number> = {
  quota: (row) => row.Quota,
  requests: (row) => row.RequestCount,
  tokens: (row) => row.PromptTokens + row.CompletionTokens,
};

/** `2026-11-20` and a number of days as another date; days have no time zone here. */
export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/**
 * The last seven days, oldest first, as the server counts days. It may live in another time zone and never says which:
 * its today is not before the newest day it tells of, and seven days after the oldest one at most.
 */
export function daysOf(rows: readonly UsageDay[], localToday: string): string[] {
  const dates = rows.map((row) => row.Date).toSorted();
  const [oldest] = dates;
  const newest = dates.at(-1);
  const latest =
    oldest !== undefined && addDays(oldest, shownDays) < localToday ? addDays(oldest, shownDays) : localToday;
  const today = newest !== undefined && newest > latest ? newest : latest;
  return Array.from({ length: shownDays }, (_, index) => addDays(today, index - shownDays + 1));
}

/** The sum of each day; days without calls are zero. */
export function sumsOf(rows: readonly UsageDay[], days: readonly string[], value: (row: UsageDay) => number): number[] {
  const sums = new Map(days.map((day) => [day, 0]));
  for (const row of rows) {
    const sum = sums.get(row.Date);
    if (sum !== undefined) sums.set(row.Date, sum + value(row));
  }
  return [...sums.values()];
}

export const valuesOf = (rows: readonly UsageDay[], days: readonly string[], measure: Measure): number[] =>
  sumsOf(rows, days, measures[measure]);

/** What each model had on each day. */
export function byModel(
  rows: readonly UsageDay[],
  days: readonly string[],
  measure: Measure,
): { model: string; values: number[] }[] {
  const groups = Map.groupBy(rows, (row) => row.ModelName);
  return [...groups]
    .map(([model, own]) => ({ model, values: valuesOf(own, days, measure) }))
    .filter(({ values }) => total(values) > 0);
}

export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** How many days a balance lasts at the pace since the first spending day; undefined when nothing is or can be spent. */
export function daysLeft(balance: number, spent: readonly number[]): number | undefined {
  const first = spent.findIndex((value) => value > 0);
  if (first < 0 || balance <= 0) return undefined;
  return balance / (total(spent) / (spent.length - first));
}
