import { teamAdminApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';
import { csvAddress } from '#list/csv-address.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';

export type TeamsQuery = Omit<SearchFor<typeof teamAdminApi.list>, 'time_zone'>;

export interface TeamsSearch extends TeamsQuery {
  /** The team whose read view is open; 0: none. */
  show: number;
  /** The team whose balance form is open; 0: none. */
  adjust: number;
}

export const noTeamFilters = { keyword: '', status: 0, group: '', owner_status: 0 };
type TeamFilters = typeof noTeamFilters;

export const teamsPage = (query: TeamsQuery) =>
  queryOptions({
    ...apiQuery(teamAdminApi.list, { query: { ...query, time_zone: localTimeZone() } }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const teamById = (id: number) =>
  queryOptions({
    ...apiQuery(teamAdminApi.get, { params: { id }, query: { time_zone: localTimeZone() } }),
    meta: { quiet: true },
  });

export const countTeams = async (filters: Partial<TeamFilters>): Promise<number> =>
  (await call(teamAdminApi.list, { query: { ...filters, page: 1, size: 1 } })).total_count;

/** Address of a CSV file with all teams that the filters find. */
export const teamsFile = ({ keyword, status, group, owner_status }: TeamFilters): string =>
  csvAddress(teamAdminApi.download.path, { keyword, status, group, owner_status });

export const refreshTeams = (client: QueryClient): Promise<void> =>
  refresh(client, teamAdminApi.list, teamAdminApi.get);
