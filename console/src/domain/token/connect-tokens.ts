import { tokenApi, type Page, type Token } from '@relay-hub/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '#api/call.ts';

/** The tokens to connect a tool with: those that are enabled, and the one with an id. */
export const connectTokens = (id: number) =>
  queryOptions({
    queryKey: [tokenApi.list.path, 'connect', id],
    queryFn: async (): Promise<Page<Token>> => {
      const page = await call(tokenApi.list, { query: { page: 1, size: 100, status: 1 } });
      const known = id === 0 || page.data.some((token) => token.id === id);
      return known ? page : { ...page, data: [await call(tokenApi.get, { params: { id } }), ...page.data] };
    },
    select: ({ data }) => data,
    placeholderData: keepPreviousData,
  });
