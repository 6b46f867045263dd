import { incidentApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';

/** Open incidents, for administrators on every page; failures are not shown. */
export const openIncidents = {
  ...apiQuery(incidentApi.summary),
  staleTime: 15_000,
  refetchInterval: 30_000,
  meta: { quiet: true },
};
