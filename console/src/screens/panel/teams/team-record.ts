import { teamAdminApi } from '@relay-hub/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import type { TeamFilters } from './teams-api.ts';

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
