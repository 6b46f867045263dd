import { teamAdminApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';

export type TeamsQuery = Omit<SearchFor<typeof teamAdminApi.list>, 'time_zone'>;

export interface TeamsSearch extends TeamsQuery {
  /** The team whose read view is open; 0: none. */
  show: number;
  /** The team whose balance form is open; 0: none. */
  adjust: number;
}

export const noTeamFilters = { keyword: '', status: 0, group: '', owner_status: 0 };
export type TeamFilters = typeof noTeamFilters;

export const teamsPage = (query: TeamsQuery) =>
  queryOptions({
    ...apiQuery(teamAdminApi.list, { query: { ...query, time_zone: localTimeZone() } }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });
