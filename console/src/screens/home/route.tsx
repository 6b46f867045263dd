import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { availableQuery, homeQuery } from './home-queries.ts';

export const Route = createFileRoute('/_public/')({
  loader: ({ context }) =>
    loadScreen(context, ['home', 'priceRule'], (client) => [
      client.prefetchQuery(homeQuery),
      client.prefetchQuery(availableQuery),
      client.prefetchQuery(ownersQuery),
    ]),
  component: lazyRouteComponent(() => import('./home-screen.tsx'), 'HomeScreen'),
});
