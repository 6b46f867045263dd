import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { selfQuery } from '#api/self.ts';
import { invitationsQuery, recentQuery } from './topup-api.ts';

export const Route = createFileRoute('/panel/topup')({
  staticData: { menu: { group: 'billing', order: 10, titleKey: 'topup' } },
  loader: ({ context }) =>
    loadScreen(context, ['topup', 'ledger'], (client) => [
      client.prefetchQuery(selfQuery),
      client.prefetchQuery(invitationsQuery),
      client.prefetchQuery(recentQuery),
    ]),
  component: lazyRouteComponent(() => import('./topup-screen.tsx'), 'TopupScreen'),
});
