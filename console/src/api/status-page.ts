import { statusPageApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';

/** Success and speed of models. Quiet: the page shows the error in place, and badges leave it out. */
export const statusQuery = {
  ...apiQuery(statusPageApi.get),
  staleTime: 60_000,
  // Members of other groups are refused, and do not ask again.
  refetchInterval: ({ state }: { state: { error: Error | null } }) => (state.error ? false : 60_000),
  retry: false,
  meta: { quiet: true },
};
