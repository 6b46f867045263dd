import { channelApi, userAdminApi, userGroupApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

export type UserGroupQuery = SearchFor<typeof userGroupApi.list>;

export interface UserGroupSearch extends UserGroupQuery {
  /** The form: `new`, or the id of the group that is edited. */
  edit: string;
}

export const userGroupPage = (query: UserGroupQuery) =>
  queryOptions({
    ...apiQuery(userGroupApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows what went wrong, and keeps the old rows.
    meta: { quiet: true },
  });

export const userGroupById = (id: number) => apiQuery(userGroupApi.get, { params: { id } });

/** Fetches again whatever a change of groups shows in. */
export const refreshGroups = (client: QueryClient): Promise<void> =>
  refresh(client, userGroupApi.list, userGroupApi.get, userGroupApi.map, userGroupApi.symbols);

/** The same after users, tokens and channels were given another group. */
export const refreshMoved = async (client: QueryClient): Promise<void> => {
  await Promise.all([refreshGroups(client), refresh(client, userAdminApi.list, channelApi.list)]);
};
