import { orderApi, paymentApi, type OrderDetail, type PaymentGateway } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import { rangeSeconds } from '#ui/table/filter.ts';
import type { OrderFilter, OrderSearch } from './payment-search.ts';

function queryOf({ keyword, time, status, gateway_id, attention, user_id }: OrderFilter) {
  const { start, end } = rangeSeconds(time);
  return { keyword, status, gateway_id, attention, user_id, start_timestamp: start, end_timestamp: end };
}

export const orderPage = ({ page, size, order, ...filter }: OrderSearch) =>
  queryOptions({
    ...apiQuery(orderApi.list, { query: { page, size, order, ...queryOf(filter) } }),
    placeholderData: keepPreviousData,
  });

export const orderTotals = (filter: OrderFilter) =>
  queryOptions({ ...apiQuery(orderApi.totals, { query: queryOf(filter) }), placeholderData: keepPreviousData });

export const countOrders = async (filter: OrderFilter): Promise<number> =>
  (await call(orderApi.list, { query: { ...queryOf(filter), page: 1, size: 1 } })).total_count;

/** Address of a CSV file with the found orders. */
export const downloadAddress = (filter: OrderFilter): string => csvAddress(orderApi.download.path, queryOf(filter));

export const orderById = (id: number) => ({ ...apiQuery(orderApi.get, { params: { id } }), meta: { quiet: true } });

/** Shows the order as an endpoint returned it, and refreshes the lists. */
export async function putOrder(client: QueryClient, order: OrderDetail): Promise<void> {
  client.setQueryData(orderById(order.id).queryKey, order);
  await refresh(client, orderApi.list, orderApi.totals);
}

export const refreshOrder = (client: QueryClient): Promise<void> =>
  refresh(client, orderApi.list, orderApi.totals, orderApi.get);

/** More than a hub has; the list is not paged. */
const mostGateways = 100;

export const gatewayList = queryOptions({
  ...apiQuery(paymentApi.list, { query: { page: 1, size: mostGateways, order: '-sort,id' } }),
  meta: { quiet: true },
});

export const gatewayById = (id: number) => apiQuery(paymentApi.get, { params: { id } });

export const gatewayTypes = { ...apiQuery(paymentApi.types), staleTime: 60 * 60_000, meta: { quiet: true } };

export const refreshGateways = (client: QueryClient): Promise<void> => refresh(client, paymentApi.list, paymentApi.get);

export const gatewaysIn = (data: { data: PaymentGateway[] } | undefined): readonly PaymentGateway[] =>
  data?.data ?? none;

const none: readonly PaymentGateway[] = [];

const strayPage = (size: number) => apiQuery(orderApi.strays, { query: { page: 1, size } });

/** The newest notifications that belong to no order. */
export const strayNotices = strayPage(50);

export const strayCount = { ...strayPage(1), meta: { quiet: true }, staleTime: 60_000 };
