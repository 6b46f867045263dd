import { isAdmin } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { ownersQuery } from '#api/owners.ts';
import { searchOf } from '#api/search-of.ts';
import { currentUser } from '#api/session.ts';
import { userGroupsQuery } from '#api/user-groups.ts';
import { channelNames, logPage, logTotals } from './log-api.ts';
import { logDefaults } from './log-defaults.ts';

export const Route = createFileRoute('/panel/log')({
  staticData: { menu: { group: 'usage', order: 10, titleKey: 'log' } },
  ...searchOf(logDefaults),
  // Opening a row does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, id: 0 }),
  loader: ({ context, deps: search }) => {
    const admin = isAdmin(currentUser()?.role ?? 0);
    return loadScreen(context, ['log', 'refusal', 'usageCheck'], (client) => [
      client.prefetchQuery(logPage(search, admin)),
      client.prefetchQuery(logTotals(search, admin)),
      client.prefetchQuery(ownersQuery),
      client.prefetchQuery(userGroupsQuery),
      ...(admin ? [client.prefetchQuery(channelNames)] : []),
    ]);
  },
  component: lazyRouteComponent(() => import('./log-screen.tsx'), 'LogScreen'),
});
