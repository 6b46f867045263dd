import { userAdminApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';

export type InviterQuery = SearchFor<typeof userAdminApi.inviters>;

export const inviterPage = (query: InviterQuery) =>
  queryOptions({
    ...apiQuery(userAdminApi.inviters, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const countInviters = async (query: Partial<InviterQuery>): Promise<number> =>
  (await call(userAdminApi.inviters, { query: { ...query, page: 1, size: 1 } })).total_count;
