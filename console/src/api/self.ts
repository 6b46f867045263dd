import { userApi, type Self } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { rememberUser, session } from './session.ts';

/** The own account as the server knows it now; what the browser keeps of it follows. */
export const selfQuery = {
  ...apiQuery(userApi.self),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const self = await call(userApi.self, { signal });
    if (session.get() && differs(self)) rememberUser(self);
    return self;
  },
  staleTime: 30_000,
};

function differs(self: Self): boolean {
  const kept = session.get();
  const fields = ['id', 'username', 'display_name', 'avatar_url', 'role', 'status'] as const;
  return kept === undefined || fields.some((field) => kept[field] !== self[field]);
}

/** The own account, with balance and group. */
export const useSelf = (): UseQueryResult<Self> => useQuery(selfQuery);
