import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { availableQuery } from '#api/available.ts';
import { loadScreen } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { searchOf } from '#api/search-of.ts';
import { userGroupsQuery } from '#api/user-groups.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import { priceListDefaults, type PriceListSearch } from '#domain/price-list/price-list-search.ts';

export const Route = createFileRoute('/_public/price')({
  ...searchOf<PriceListSearch>(priceListDefaults),
  loader: ({ context }) =>
    loadScreen(context, ['price', 'priceRule'], (client) => [
      client.prefetchQuery(availableQuery),
      client.prefetchQuery(userGroupsQuery),
      client.prefetchQuery(ownersQuery),
      client.prefetchQuery(offersQuery),
    ]),
  component: lazyRouteComponent(() => import('./price-screen.tsx'), 'PriceScreen'),
});
