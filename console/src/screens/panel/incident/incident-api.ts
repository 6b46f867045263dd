import { incidentApi } from '@relay-hub/contract';
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

/** An incident with the messages about it. */
export const incidentDetail = (id: number) =>
  queryOptions({ ...apiQuery(incidentApi.get, { params: { id } }), refetchInterval: 15_000, meta: { quiet: true } });

/** How fast troubles were noticed and repaired, by month. */
export const incidentMonths = queryOptions({ ...apiQuery(incidentApi.months), meta: { quiet: true } });

export const refreshIncidents = (client: QueryClient): Promise<void> =>
  refresh(client, incidentApi.list, incidentApi.get, incidentApi.summary);
