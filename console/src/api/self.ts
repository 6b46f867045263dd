import { userApi, type Self } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { openPage, rememberUser, session } from './session.ts';

/** The account that the person acts for, from the server; their own one updates the stored copy. */
export const selfQuery = {
  ...apiQuery(userApi.self),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const self = await call(userApi.self, { signal });
    openPage.isRead = true;
    if (session.get().user?.id === self.id) rememberUser(self);
    return self;
  },
  staleTime: 30_000,
};

/** The signed-in account, with balance and group. */
export const useSelf = (): UseQueryResult<Self> => useQuery(selfQuery);
