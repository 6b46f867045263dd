import { oauthApi, type SessionUser } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { invitedBy, type Elsewhere } from '#api/elsewhere.ts';
import type { ComingBack } from './coming-back.ts';

/** Number of retries. */
export const retries = 3;
const pauseMs = 2000;

/** Transient failures: no answer, or an error of our server or the provider. Refusals are not retried. */
const isPassing = (error: Error): boolean =>
  error instanceof ApiError && (error.isNetwork || error.status === 429 || error.status >= 500);

/**
 * Exchanges the callback's code: `data` is the account that signed in, or null if an identity was connected. Runs
 * once per state.
 */
export function useComingBack(provider: Elsewhere, { code = '', state = '', iss, error }: ComingBack) {
  return useQuery({
    queryKey: [oauthApi[provider].path, state],
    queryFn: async (): Promise<SessionUser | null> => {
      // The visitor declined, or the address does not come from a provider.
      if (error !== undefined || code === '' || state === '') throw new ApiError({ status: 400, message: '' });
      const query = { code, state, ...(provider === 'oidc' && { iss }), aff: invitedBy() };
      return (await call(oauthApi[provider], { query })) ?? null;
    },
    retry: (failures, failure) => failures < retries && isPassing(failure),
    retryDelay: pauseMs,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The page shows the error.
    meta: { quiet: true },
  });
}
