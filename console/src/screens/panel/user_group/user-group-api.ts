import { channelApi, userAdminApi, userGroupApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

export type UserGroupQuery = SearchFor<typeof userGroupApi.list>;

export interface UserGroupSearch extends UserGroupQuery {
  /** The form: `new`, or the id of the edited group. */
  edit: string;
}

export const userGroupPage = (query: UserGroupQuery) =>
  queryOptions({
    ...apiQuery(userGroupApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const userGroupById = (id: number) => apiQuery(userGroupApi.get, { params: { id } });

export const refreshGroups = (client: QueryClient): Promise<void> =>
  refresh(client, userGroupApi.list, userGroupApi.get, userGroupApi.map, userGroupApi.symbols);

/** The same after users, tokens and channels moved to another group. */
export const refreshMoved = async (client: QueryClient): Promise<void> => {
  await Promise.all([refreshGroups(client), refresh(client, userAdminApi.list, channelApi.list)]);
};
