import { statusPageApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';

/** Success and speed of models. Quiet: the page shows the error in place, and badges leave it out. */
export const statusQuery = {
  ...apiQuery(statusPageApi.get),
  staleTime: 60_000,
  // Of a page for some groups, others are told so once.
  refetchInterval: ({ state }: { state: { error: Error | null } }) => (state.error ? false : 60_000),
  retry: false,
  meta: { quiet: true },
};
