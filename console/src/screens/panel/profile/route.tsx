import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { selfQuery } from '#api/self.ts';
import { userGroupsQuery } from '#api/user-groups.ts';
import { waysQuery } from '#domain/ways/way-api.ts';
import { identitiesQuery, securityQuery, sessionsQuery } from './profile-api.ts';
import { passkeysQuery, twoStepQuery } from './second-factor-api.ts';

export const Route = createFileRoute('/panel/profile')({
  staticData: { menu: { group: 'manage', order: 60, titleKey: 'profile' }, isNarrow: true },
  loader: ({ context }) =>
    loadScreen(context, ['profile', 'elsewhere', 'secondFactor', 'way'], (client) => [
      client.prefetchQuery(selfQuery),
      client.prefetchQuery(userGroupsQuery),
      client.prefetchQuery(securityQuery),
      client.prefetchQuery(sessionsQuery),
      client.prefetchQuery(identitiesQuery),
      client.prefetchQuery(twoStepQuery),
      client.prefetchQuery(passkeysQuery),
      client.prefetchQuery(waysQuery),
    ]),
  component: lazyRouteComponent(() => import('./profile-screen.tsx'), 'ProfileScreen'),
});
