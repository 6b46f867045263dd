import { userAdminApi, userGroupApi, type User } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { allPages } from '#api/all-pages.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';

export type UserQuery = SearchFor<typeof userAdminApi.list>;

export interface UserSearch extends UserQuery {
  /** The account whose read view is open; 0: none. */
  show: number;
  /** The form: `new`, or the id of the edited account. */
  edit: string;
  /** The account whose balance form is open; 0 for none. */
  adjust: number;
}

export const userPage = (query: UserQuery) =>
  queryOptions({
    ...apiQuery(userAdminApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const userById = (id: number) => apiQuery(userAdminApi.get, { params: { id } });

export const countUsers = async (query: Partial<UserQuery>): Promise<number> =>
  (await call(userAdminApi.list, { query: { ...query, page: 1, size: 1 } })).total_count;

export const allUsers = (query: UserQuery): Promise<User[]> =>
  allPages((part) => call(userAdminApi.list, { query: { ...query, ...part } }));

export const refreshUsers = (client: QueryClient): Promise<void> =>
  refresh(client, userAdminApi.list, userAdminApi.get, userGroupApi.list);
