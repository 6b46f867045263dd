import { launchApi, wayApi } from '@relay-hub/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';

/** Ways of the reader, and for administrators those of the site. */
export const waysQuery = queryOptions({ ...apiQuery(wayApi.list), meta: { quiet: true } });

/** The checklist before the launch depends on confirmed ways. */
export const refreshWays = (client: QueryClient): Promise<void> => refresh(client, wayApi.list, launchApi.get);

export const LOG_SIZE = 20;

export const deliveryPage = (id: number, page: number) =>
  queryOptions({
    ...apiQuery(wayApi.deliveries, { params: { id }, query: { page, size: LOG_SIZE } }),
    meta: { quiet: true },
  });
