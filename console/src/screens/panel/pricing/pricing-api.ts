import { priceApi, priceChangeApi, userGroupApi, type Price, type ReplyOf } from '@relay-hub/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';

type Listed = ReplyOf<(typeof priceApi)['list']>[number];

export const pricesInForce = queryOptions({
  ...apiQuery(priceApi.list, { query: {} }),
  select: (prices: Listed[]): Price[] =>
    prices.flatMap(({ version, valid_from: from, source, ...terms }) =>
      version === undefined || from === undefined
        ? []
        : [{ ...terms, version, valid_from: from, source: source ?? 'own' }],
    ),
});

export const builtInPrices = queryOptions({
  ...apiQuery(priceApi.list, { query: { type: 'default' } }),
  staleTime: Infinity,
});

export const allGroups = queryOptions({
  ...apiQuery(userGroupApi.list, { query: { size: 100, order: 'id' } }),
  staleTime: 60_000,
  meta: { quiet: true },
});

export const versionsOf = (model: string) => apiQuery(priceApi.history, { params: { model } });

export const lastUpdate = queryOptions({
  ...apiQuery(priceChangeApi.list, { query: { kind: 'update', size: 1 } }),
  meta: { quiet: true },
});

export const changePage = (page: number) => apiQuery(priceChangeApi.list, { query: { page, size: 10 } });

export const changeById = (id: number) => apiQuery(priceChangeApi.get, { params: { id } });

export const undoChange = (id: number) => call(priceChangeApi.undo, { params: { id } });

export const refreshPrices = (client: QueryClient): Promise<void> =>
  refresh(
    client,
    priceApi.list,
    priceApi.available,
    priceApi.unpriced,
    priceApi.gaps,
    priceApi.names,
    priceApi.history,
    priceChangeApi.list,
    priceChangeApi.get,
  );
