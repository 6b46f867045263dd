import { isAdmin } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { currentUser } from '#api/session.ts';
import { accountsQuery, qualityQuery, shownOf, statisticsQuery, usageQuery } from './analytics-api.ts';
import { analyticsDefaults } from './analytics-defaults.ts';
import { isOfHub } from './analytics-search.ts';

export const Route = createFileRoute('/panel/analytics')({
  staticData: { menu: { group: 'overview', order: 20, titleKey: 'analytics' } },
  ...searchOf(analyticsDefaults),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: search }) => {
    const page = shownOf(search, isOfHub(search, isAdmin(currentUser()?.role ?? 0)));
    return loadScreen(context, ['analytics', 'refusal'], (client) => [
      client.prefetchQuery(usageQuery(page)),
      client.prefetchQuery(qualityQuery(page)),
      ...(page.ofHub ? [client.prefetchQuery(accountsQuery(search)), client.prefetchQuery(statisticsQuery)] : []),
    ]);
  },
  component: lazyRouteComponent(() => import('./analytics-screen.tsx'), 'AnalyticsScreen'),
});
