import { analyticsApi, ownGroupings, tokenApi, type UsageGrouping } from '@relay-hub/contract';
import { keepPreviousData } from '@tanstack/react-query';
import { atBase } from '#base-path.ts';
import { apiQuery } from '#api/api-query.ts';
import { addressOf } from '#api/call.ts';
import { currentAccount } from '#api/session.ts';
import { languageTag } from '#i18n/i18n.ts';
import { mostSeries } from '#ui/chart/series.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { groupingOf, ownOf, periodOf, whoseOf } from './analytics-search.ts';

/** Each card shows its own failure. Old data stays visible while new data loads. */
const shown = {
  meta: { quiet: true },
  staleTime: 30_000,
  refetchInterval: ({ state }: { state: { data: unknown } }) => state.data !== undefined && 60_000,
} as const;

/** Content of a page: the whole hub or the own usage, and the grouping. */
export interface Shown {
  search: AnalyticsSearch;
  ofHub: boolean;
  by: UsageGrouping;
}

export const shownOf = (search: AnalyticsSearch, ofHub: boolean): Shown => ({
  search,
  ofHub,
  by: groupingOf(search, ofHub),
});

const hubQuery = ({ search, by }: Shown) => ({ ...periodOf(search), ...whoseOf(search), by });
const ownQuery = ({ search, by }: Shown) => ({
  ...periodOf(search),
  ...ownOf(search),
  by: ownGroupings.find((own) => own === by) ?? ('model' as const),
});

/** With a series of each group that a chart may draw. */
export const usageQuery = (page: Shown) => ({
  ...(page.ofHub
    ? apiQuery(analyticsApi.usage, { query: { ...hubQuery(page), top: mostSeries } })
    : apiQuery(analyticsApi.ownUsage, { query: { ...ownQuery(page), top: mostSeries } })),
  ...shown,
  placeholderData: keepPreviousData,
});

export const qualityQuery = (page: Shown) => ({
  ...(page.ofHub
    ? apiQuery(analyticsApi.quality, { query: hubQuery(page) })
    : apiQuery(analyticsApi.ownQuality, { query: ownQuery(page) })),
  ...shown,
  placeholderData: keepPreviousData,
});

export const accountsQuery = (search: AnalyticsSearch) => ({
  ...apiQuery(analyticsApi.accounts, { query: periodOf(search) }),
  ...shown,
  placeholderData: keepPreviousData,
});

export const statisticsQuery = { ...apiQuery(analyticsApi.statistics), ...shown };

/** The own tokens that the filter offers. */
export const ownTokensQuery = { ...apiQuery(tokenApi.list, { query: { size: 100 } }), ...shown };

/** Address of the CSV file with the report on screen. */
export const downloadAddress = (page: Shown): string =>
  atBase(
    addressOf((page.ofHub ? analyticsApi.download : analyticsApi.ownDownload).path, undefined, {
      ...(page.ofHub ? hubQuery(page) : ownQuery(page)),
      account: currentAccount()?.id,
      language: languageTag(),
    }),
  );
