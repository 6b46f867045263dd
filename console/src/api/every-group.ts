import { userGroupApi, type UserGroupRow } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

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
