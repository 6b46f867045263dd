import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { siteQuery } from '#api/site.ts';
import { showError } from './show-error.ts';

const attempts = 2;

const isNetwork = (error: Error) => error instanceof ApiError && error.isNetwork;

/** While the site information fails too, the root shows one message that the server is unreachable. */
function isTold(error: Error): boolean {
  return isNetwork(error) && (queryClient.getQueryState(siteQuery.queryKey)?.fetchFailureCount ?? 0) > 0;
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => !query.meta?.quiet && !isTold(error) && void showError(error),
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _result, mutation) => !mutation.meta?.quiet && void showError(error),
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // The browser's online state says nothing about a server in the local network.
      networkMode: 'always',
      retry: (failures, error) => failures < attempts && isNetwork(error),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
});
