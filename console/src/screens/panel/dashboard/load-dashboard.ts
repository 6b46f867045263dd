import { isAdmin, role } from '@relay-hub/contract';
import { loadScreen, type ScreenContext } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { currentUser } from '#api/session.ts';
import { userGroupsQuery } from '#api/user-groups.ts';
import { accountQuery, availableQuery, channelsQuery, healthQuery, recentQuery, usageQuery } from './dashboard-api.ts';
import { launchQuery } from './launch/use-launch.ts';
import { scopeNow } from './scope.ts';

/** Loader of the two routes that show the dashboard. */
export const loadDashboard = (context: ScreenContext): Promise<void> =>
  loadScreen(context, ['dashboard'], (client) => [
    client.prefetchQuery(accountQuery),
    client.prefetchQuery(usageQuery(scopeNow())),
    client.prefetchQuery(recentQuery(scopeNow())),
    client.prefetchQuery(availableQuery),
    client.prefetchQuery(ownersQuery),
    client.prefetchQuery(userGroupsQuery),
    ...(isAdmin(currentUser()?.role ?? role.guest)
      ? [client.prefetchQuery(channelsQuery), client.prefetchQuery(healthQuery)]
      : []),
    // Fetched at each visit, since the steps are done on other screens; the card then does not fetch it again.
    ...(isRootNow() ? [client.prefetchQuery({ ...launchQuery, staleTime: 0 })] : []),
  ]);

const isRootNow = (): boolean => (currentUser()?.role ?? role.guest) >= role.root;
