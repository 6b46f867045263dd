import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { searchOf } from '#api/search-of.ts';
import { priceGaps, unpricedModels } from '#api/unpriced.ts';
import { lastUpdate, pricesInForce } from './pricing-api.ts';
import { pricingDefaults, type PricingSearch } from './pricing-defaults.ts';

export const Route = createFileRoute('/panel/pricing')({
  staticData: { menu: { group: 'manage', order: 20, titleKey: 'pricing', audience: 'admin', parent: 'operation' } },
  ...searchOf<PricingSearch>(pricingDefaults),
  loader: ({ context }) =>
    loadScreen(context, ['pricing', 'price', 'priceRule'], (client) => [
      client.prefetchQuery(pricesInForce),
      client.prefetchQuery(unpricedModels),
      client.prefetchQuery(priceGaps),
      client.prefetchQuery(lastUpdate),
      client.prefetchQuery(ownersQuery),
    ]),
  component: lazyRouteComponent(() => import('./pricing-screen.tsx'), 'PricingScreen'),
});
