import { userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import { useNamedGroup } from './user-groups.ts';

const largestPage = 100;

/** All user groups, also those that are switched off, with what hangs on them; for administrators. */
export const everyGroup = queryOptions({
  queryKey: [userGroupApi.list.path, 'every'],
  queryFn: async ({ signal }) => {
    const groups: UserGroupRow[] = [];
    for (let page = 1; ; page++) {
      const { data, total_count } = await call(userGroupApi.list, {
        query: { page, size: largestPage, order: 'id' },
        signal,
      });
      groups.push(...data);
      if (data.length < largestPage || groups.length >= total_count) return groups;
    }
  },
  staleTime: 30_000,
  meta: { quiet: true },
});

/** The same under the names that are shown; empty until known. */
export function useEveryGroup(): readonly UserGroupRow[] {
  const named = useNamedGroup();
  return (useQuery(everyGroup).data ?? []).map(named);
}
