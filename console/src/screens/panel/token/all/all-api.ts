import { tokenAdminApi, type OwnedToken } from '@relay-hub/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call, type CallInput } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';

type AllTokenList = SearchFor<typeof tokenAdminApi.list>;

export const ownedTokenPage = (search: AllTokenList) =>
  queryOptions({ ...apiQuery(tokenAdminApi.list, { query: search }), placeholderData: keepPreviousData });

export const ownedTokenById = (id: number) => apiQuery(tokenAdminApi.get, { params: { id } });

export const countOwnedTokens = async (query: CallInput<typeof tokenAdminApi.list>['query']): Promise<number> =>
  (await call(tokenAdminApi.list, { query: { ...query, page: 1, size: 1 } })).total_count;

export const setOwnedStatus = (id: number, status: 1 | 2): Promise<OwnedToken> =>
  call(tokenAdminApi.update, { params: { id }, body: { status } });
