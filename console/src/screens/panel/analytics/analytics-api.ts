import { analyticsApi, type UsageGrouping } from '@relay-hub/contract';
import { keepPreviousData } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { addressOf } from '#api/call.ts';
import { languageTag } from '#i18n/i18n.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { groupingOf, periodOf, whoseOf } from './analytics-search.ts';

/** Each card shows its own failure. Old data stays visible while new data loads. */
const shown = {
  meta: { quiet: true },
  staleTime: 30_000,
  refetchInterval: ({ state }: { state: { data: unknown } }) => state.data !== undefined && 60_000,
} as const;

export const usageQuery = (search: AnalyticsSearch, by: UsageGrouping = groupingOf(search)) => ({
  ...apiQuery(analyticsApi.usage, { query: { ...periodOf(search), ...whoseOf(search), by } }),
  ...shown,
  placeholderData: keepPreviousData,
});

export const accountsQuery = (search: AnalyticsSearch) => ({
  ...apiQuery(analyticsApi.accounts, { query: periodOf(search) }),
  ...shown,
  placeholderData: keepPreviousData,
});

export const statisticsQuery = { ...apiQuery(analyticsApi.statistics), ...shown };

/** Address of the CSV file with the report on screen. */
export const downloadAddress = (search: AnalyticsSearch): string =>
  addressOf(analyticsApi.download.path, undefined, {
    ...periodOf(search),
    ...whoseOf(search),
    by: groupingOf(search),
    language: languageTag(),
  });
