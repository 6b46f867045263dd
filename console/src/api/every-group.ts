import { userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages.ts';
import { call } from './call.ts';
import { useNamedGroup } from './user-groups.ts';

/** All user groups, also those that are switched off, with what hangs on them; for administrators. */
export const everyGroup = queryOptions({
  queryKey: [userGroupApi.list.path, 'every'],
  queryFn: ({ signal }): Promise<UserGroupRow[]> =>
    allPages((part) => call(userGroupApi.list, { query: { ...part, order: 'id' }, signal })),
  staleTime: 30_000,
  meta: { quiet: true },
});

/** The same under the names that are shown; empty until known. */
export function useEveryGroup(): readonly UserGroupRow[] {
  const named = useNamedGroup();
  return (useQuery(everyGroup).data ?? []).map(named);
}
