import { userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages.ts';
import { call } from './call.ts';
import { useNamedGroup } from './user-groups.ts';

/** All user groups, disabled ones too, with their user and channel counts; for administrators. */
export const allGroupsQuery = queryOptions({
  queryKey: [userGroupApi.list.path, 'every'],
  queryFn: ({ signal }): Promise<UserGroupRow[]> =>
    allPages((part) => call(userGroupApi.list, { query: { ...part, order: 'id' }, signal })),
  staleTime: 30_000,
  meta: { quiet: true },
});

/** The same with translated names; empty until loaded. */
export function useAllGroups(): readonly UserGroupRow[] {
  const named = useNamedGroup();
  return (useQuery(allGroupsQuery).data ?? []).map(named);
}
