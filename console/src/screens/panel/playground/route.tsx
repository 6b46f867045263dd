import { playgroundRoles } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { availableQuery } from '#api/available.ts';
import { loadScreen } from '#api/load-screen.ts';

export const Route = createFileRoute('/panel/playground')({
  staticData: { menu: { group: 'overview', order: 30, titleKey: 'playground', roles: playgroundRoles } },
  loader: ({ context }) => loadScreen(context, ['playground'], (client) => [client.prefetchQuery(availableQuery)]),
  component: lazyRouteComponent(() => import('#domain/playground/playground-pages.tsx'), 'PanelPlayground'),
});
