import { oauthApi, type SessionUser } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { referralCode, type RedirectProvider } from '#api/sign-in-provider.ts';
import type { OAuthCallbackSearch } from './oauth-callback-search.ts';

/** Number of retries. */
export const retries = 3;
const pauseMs = 2000;

/** Transient failures: no answer, or an error of our server or the provider. Refusals are not retried. */
const isTransient = (error: Error): boolean =>
  error instanceof ApiError && (error.isNetwork || error.status === 429 || error.status >= 500);

/**
 * Exchanges the callback's code: `data` is the account that signed in, or null if an identity was connected. Runs
 * once per state.
 */
export function useOAuthCallback(
  provider: RedirectProvider,
  { code = '', state = '', iss, error }: OAuthCallbackSearch,
) {
  return useQuery({
    queryKey: [oauthApi[provider].path, state],
    queryFn: async (): Promise<SessionUser | null> => {
      // The visitor declined, or the address does not come from a provider.
      if (error !== undefined || code === '' || state === '') throw new ApiError({ status: 400, message: '' });
      const query = { code, state, ...(provider === 'oidc' && { iss }), aff: referralCode() };
      return (await call(oauthApi[provider], { query })) ?? null;
    },
    retry: (failures, failure) => failures < retries && isTransient(failure),
    retryDelay: pauseMs,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The page shows the error.
    meta: { quiet: true },
  });
}
