import {
  dashboardApi,
  ledgerApi,
  ownOrderApi,
  planApi,
  registerApi,
  userApi,
  type OwnOrderDetail,
} from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';
import { movementKinds } from '#domain/ledger/movement-kinds.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';

/** Each card shows its own failure. */
const inPlace = { meta: { quiet: true } } as const;

/** The own plans that have not ended. */
export const myPlansQuery = { ...apiQuery(planApi.mine), ...inPlace };

/** Endpoints whose replies change with an own plan. */
export const afterPlans = [planApi.mine, userApi.self, ledgerApi.ownList, ledgerApi.ownTotals];

export const recentCount = 5;

/** The newest entries of the own balance other than calls. */
export const recentQuery = {
  ...apiQuery(ledgerApi.ownList, { query: { kind: movementKinds, size: recentCount } }),
  ...inPlace,
};

/** The same without the entries of payments, which the orders show. */
export const otherCreditsQuery = {
  ...apiQuery(ledgerApi.ownList, { query: { kind: 'redemption,gift,reward,correction,plan', size: recentCount } }),
  ...inPlace,
};

/** The own invitation code with its rewards. */
export const invitationsQuery = { ...apiQuery(registerApi.invitations), ...inPlace };

/** The own usage of the last days. */
export const usageQuery = {
  ...apiQuery(dashboardApi.own, { query: { time_zone: localTimeZone() } }),
  ...inPlace,
  staleTime: 60_000,
};

export interface OrdersSearch {
  all: boolean;
  page: number;
  size: number;
}

export const fewOrders = 5;
const pendingMs = 6000;

/** A page of the own orders; polled while one is waiting for its payment. */
export const ordersQuery = ({ all, page, size }: OrdersSearch) => ({
  ...apiQuery(ownOrderApi.list, { query: all ? { page, size } : { size: fewOrders } }),
  ...inPlace,
  refetchInterval: ({ state: { data } }: { state: { data?: { data: { status: string }[] } | undefined } }) =>
    data?.data.some(({ status }) => status === 'pending') && pendingMs,
});

const soonMs = 3000;
const laterMs = 10_000;
const hiddenMs = 20_000;
/** Most payments are made within this time. */
const soonSeconds = 300;

/** An order, followed until its payment arrives or the order ends. */
export const orderQuery = (tradeNo: string) => ({
  ...apiQuery(ownOrderApi.get, { params: { trade_no: tradeNo } }),
  ...inPlace,
  staleTime: 0,
  refetchInterval: ({ state: { data } }: { state: { data?: OwnOrderDetail | undefined } }) =>
    data?.status === 'pending' && pollMs(data),
  refetchIntervalInBackground: true,
});

function pollMs({ created_at: created }: OwnOrderDetail): number {
  if (document.hidden) return hiddenMs;
  return Date.now() / 1000 - created < soonSeconds ? soonMs : laterMs;
}
