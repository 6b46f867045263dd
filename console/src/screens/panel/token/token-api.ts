import { logApi, priceApi, tokenApi, type Page, type Token } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { allPages } from '#api/all-pages.ts';
import { apiQuery } from '#api/api-query.ts';
import { call, type CallInput } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';

type TokenList = SearchFor<typeof tokenApi.list>;

export const tokenPage = (search: TokenList) =>
  queryOptions({ ...apiQuery(tokenApi.list, { query: search }), placeholderData: keepPreviousData });

/** The tags of the user's tokens. */
export const tagsQuery = queryOptions({ ...apiQuery(tokenApi.tags), staleTime: 60_000 });

export const tokenById = (id: number) => apiQuery(tokenApi.get, { params: { id } });

export const allTokens = (search: TokenList): Promise<Token[]> =>
  allPages((part) => call(tokenApi.list, { query: { ...search, ...part } }));

export const countTokens = async (query: CallInput<typeof tokenApi.list>['query']): Promise<number> =>
  (await call(tokenApi.list, { query: { ...query, page: 1, size: 1 } })).total_count;

export const setStatus = (id: number, status: 1 | 2): Promise<Token> =>
  call(tokenApi.update, { query: { status_only: 'true' }, body: { id, status } });

/** Shows a status in every cached list before the server confirms it. */
export function showStatus(client: QueryClient, tokens: readonly Token[], status: Token['status']): void {
  const ids = new Set(tokens.map(({ id }) => id));
  client.setQueriesData<Page<Token>>(
    { queryKey: [tokenApi.list.path] },
    (page) => page && { ...page, data: page.data.map((row) => (ids.has(row.id) ? { ...row, status } : row)) },
  );
}

export const removeToken = (id: number) => call(tokenApi.remove, { params: { id } });

/** The models available to the user, with their groups. */
export const modelsQuery = queryOptions({ ...apiQuery(priceApi.available), staleTime: 60_000 });

const pollMs = 2500;

/** The newest call with a token, refused or not; polled. */
export const lastCall = ({ id }: Token) =>
  queryOptions({
    ...apiQuery(logApi.ownList, {
      query: { token_id: id, refused: 1, size: 1 },
    }),
    select: ({ data: [newest] }) => newest,
    refetchInterval: pollMs,
    staleTime: 0,
    // The next poll is soon, and the console reports a lost connection itself.
    meta: { quiet: true },
  });
