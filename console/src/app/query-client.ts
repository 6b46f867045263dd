import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { siteQuery } from '#api/site.ts';
import { i18n } from '#i18n/t.ts';
import { proofNeeded } from '#api/proof.ts';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { toast } from '#ui/feedback/toast.ts';

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

/** Shows a failed request as defined by the error catalogue; the server's message takes precedence. */
async function showError(error: unknown): Promise<void> {
  // The user cancelled the authentication.
  if (error instanceof ApiError && error.code === proofNeeded) return;
  // The sign-in dialog or page handles it.
  if (error instanceof ApiError && error.status === 401 && !session.get().user) return;
  // A request of the first page can fail before the texts are loaded.
  await loadTexts('app');
  const t = i18n.translator('app');
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && error.status === 405) toast.info(message);
  else toast.error(t('error.prefix', { message: message || t('error.unknown') }));
}
