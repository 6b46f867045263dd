import { teamAdminApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

export type TeamsSearch = SearchFor<typeof teamAdminApi.list>;

export const teamsPage = (query: TeamsSearch) =>
  queryOptions({
    ...apiQuery(teamAdminApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });
