import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { selfQuery } from '#api/self.ts';
import { securityQuery, sessionsQuery } from './profile-api.ts';

export const Route = createFileRoute('/panel/profile')({
  staticData: { menu: { group: 'manage', order: 60, titleKey: 'profile' } },
  loader: ({ context }) =>
    loadScreen(context, ['profile'], (client) => [
      client.prefetchQuery(selfQuery),
      client.prefetchQuery(securityQuery),
      client.prefetchQuery(sessionsQuery),
    ]),
  component: lazyRouteComponent(() => import('./profile-screen.tsx'), 'ProfileScreen'),
});
