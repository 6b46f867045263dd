import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { accountsQuery, statisticsQuery, usageQuery } from './analytics-api.ts';
import { analyticsDefaults } from './analytics-defaults.ts';

export const Route = createFileRoute('/panel/analytics')({
  staticData: { menu: { group: 'overview', order: 20, titleKey: 'analytics', audience: 'admin' } },
  ...searchOf(analyticsDefaults),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: search }) =>
    loadScreen(context, ['analytics'], (client) => [
      client.prefetchQuery(usageQuery(search)),
      client.prefetchQuery(accountsQuery(search)),
      client.prefetchQuery(statisticsQuery),
    ]),
  component: lazyRouteComponent(() => import('./analytics-screen.tsx'), 'AnalyticsScreen'),
});
