import { incidentApi, launchApi, wayApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';

export const PAGE_SIZE = 20;

export const incidentPage = (page: number) =>
  queryOptions({
    ...apiQuery(incidentApi.list, { query: { page, size: PAGE_SIZE } }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
    // The screen shows the error.
    meta: { quiet: true },
  });

export const siteWays = queryOptions({ ...apiQuery(wayApi.list), meta: { quiet: true } });

export const refreshIncidents = (client: QueryClient): Promise<void> =>
  refresh(client, incidentApi.list, incidentApi.get, incidentApi.summary);

/** The checklist before the launch depends on confirmed ways. */
export const refreshWays = (client: QueryClient): Promise<void> => refresh(client, wayApi.list, launchApi.get);
