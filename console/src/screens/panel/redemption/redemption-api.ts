import { redemptionApi, type Redemption } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { allPages } from '#api/all-pages.ts';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import type { RedemptionFilter } from './redemption-defaults.ts';
import { queryOf } from './redemption-search.ts';

interface ListSearch extends RedemptionFilter {
  page: number;
  size: number;
  order: string;
}

export const redemptionPage = ({ page, size, order, ...filter }: ListSearch) =>
  queryOptions({
    ...apiQuery(redemptionApi.list, { query: { page, size, order, ...queryOf(filter) } }),
    placeholderData: keepPreviousData,
  });

export const redemptionTotals = (filter: RedemptionFilter) =>
  queryOptions({
    ...apiQuery(redemptionApi.totals, { query: queryOf(filter) }),
    placeholderData: keepPreviousData,
  });

export const redemptionById = (id: number) => apiQuery(redemptionApi.get, { params: { id } });

export const refreshCodes = (client: QueryClient): Promise<void> =>
  refresh(client, redemptionApi.list, redemptionApi.totals, redemptionApi.get);

export const allCodes = ({ order, ...filter }: RedemptionFilter & { order: string }): Promise<Redemption[]> =>
  allPages((part) => call(redemptionApi.list, { query: { ...queryOf(filter), order, ...part } }));

export const countCodes = async (filter: RedemptionFilter): Promise<number> =>
  (await call(redemptionApi.list, { query: { ...queryOf(filter), page: 1, size: 1 } })).total_count;

/** Address of a CSV file with the found codes. */
export const downloadAddress = (filter: RedemptionFilter): string =>
  csvAddress(redemptionApi.download.path, queryOf(filter));

export const setStatus = (id: number, status: 1 | 2): Promise<Redemption> =>
  call(redemptionApi.update, { query: { status_only: 'true' }, body: { id, status } });

export const removeCode = (id: number) => call(redemptionApi.remove, { params: { id } });

export const restoreCode = (id: number): Promise<Redemption> => call(redemptionApi.restore, { params: { id } });

export const revealCode = async (id: number): Promise<string> =>
  (await call(redemptionApi.reveal, { params: { id } })).key;
