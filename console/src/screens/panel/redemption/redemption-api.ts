import { redemptionApi, type Redemption } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { addressOf, call } from '#api/call.ts';
import { languageTag } from '#i18n/i18n.ts';
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

/** After whatever changes codes. */
export const refreshCodes = (client: QueryClient): Promise<void> =>
  refresh(client, redemptionApi.list, redemptionApi.totals, redemptionApi.get);

const mostPerPage = 100;

/** The codes of every page of a list. */
export async function everyCode({ order, ...filter }: Omit<ListSearch, 'page' | 'size'>): Promise<Redemption[]> {
  const codes: Redemption[] = [];
  for (let page = 1; ; page++) {
    const query = { ...queryOf(filter), order, page, size: mostPerPage };
    const { data, total_count } = await call(redemptionApi.list, { query });
    codes.push(...data);
    if (data.length < mostPerPage || codes.length >= total_count) return codes;
  }
}

export const countCodes = async (filter: RedemptionFilter): Promise<number> =>
  (await call(redemptionApi.list, { query: { ...queryOf(filter), page: 1, size: 1 } })).total_count;

/** Where the browser gets the codes that a filter finds as a file. */
export const downloadAddress = (filter: RedemptionFilter): string =>
  addressOf(redemptionApi.download.path, undefined, {
    ...queryOf(filter),
    language: languageTag(),
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });

export const setStatus = (id: number, status: 1 | 2): Promise<Redemption> =>
  call(redemptionApi.update, { query: { status_only: 'true' }, body: { id, status } });

export const removeCode = (id: number) => call(redemptionApi.remove, { params: { id } });

export const restoreCode = (id: number): Promise<Redemption> => call(redemptionApi.restore, { params: { id } });

export const revealCode = async (id: number): Promise<string> =>
  (await call(redemptionApi.reveal, { params: { id } })).key;
