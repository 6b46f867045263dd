import { payerRoles } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { selfQuery } from '#api/self.ts';
import { gatewaysQuery } from '#domain/payment/payment-api.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import {
  invitationsQuery,
  myPlansQuery,
  orderQuery,
  ordersQuery,
  otherCreditsQuery,
  recentQuery,
  usageQuery,
  type OrdersSearch,
} from './topup-api.ts';

/** `order` is the number of the order whose dialog is open; gateways return with it, and with `cancelled=1`. */
interface TopupSearch extends OrdersSearch {
  order: string;
  cancelled: string;
}

export const Route = createFileRoute('/panel/topup')({
  staticData: { menu: { group: 'billing', order: 10, titleKey: 'topup', roles: payerRoles }, isNarrow: true },
  ...searchOf<TopupSearch>({ order: '', cancelled: '', all: false, page: 1, size: 10 }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { order, all, page, size } }) =>
    loadScreen(context, ['topup', 'ledger'], (client) => [
      client.prefetchQuery(selfQuery),
      client.prefetchQuery(gatewaysQuery),
      client.prefetchQuery(ordersQuery({ all, page, size })),
      client.prefetchQuery(offersQuery),
      client.prefetchQuery(myPlansQuery),
      client.prefetchQuery(usageQuery),
      client.prefetchQuery(invitationsQuery),
      client.prefetchQuery(recentQuery),
      client.prefetchQuery(otherCreditsQuery),
      ...(order === '' ? [] : [client.prefetchQuery(orderQuery(order))]),
    ]),
  component: lazyRouteComponent(() => import('./topup-screen.tsx'), 'TopupScreen'),
});
