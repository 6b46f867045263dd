import { oauthApi, type SessionUser } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { invitedBy, type Elsewhere } from '#api/elsewhere.ts';
import type { ComingBack } from './coming-back.ts';

/** How often it is tried again. */
export const retries = 3;
const pauseMs = 2000;

/** Where trying again may help: no answer, ours or the provider's. A refusal stays one. */
const isPassing = (error: Error): boolean =>
  error instanceof ApiError && (error.isNetwork || error.status === 429 || error.status >= 500);

/** Ends the journey: `data` is the account that signed in, or null where one was bound. Asked once for each state. */
export function useComingBack(provider: Elsewhere, { code = '', state = '', iss, error }: ComingBack) {
  return useQuery({
    queryKey: [oauthApi[provider].path, state],
    queryFn: async (): Promise<SessionUser | null> => {
      // The visitor said no there, or the address is not one that a provider makes.
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
    // The page tells of it.
    meta: { quiet: true },
  });
}
