import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { accountsQuery, qualityQuery, shownOf, statisticsQuery, usageQuery } from './analytics-api.ts';
import { analyticsDefaults } from './analytics-defaults.ts';

export const Route = createFileRoute('/panel/analytics')({
  staticData: { menu: { group: 'overview', order: 20, titleKey: 'analytics', audience: 'admin' }, isCharts: true },
  ...searchOf(analyticsDefaults),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: search }) => {
    const page = shownOf(search, true);
    return loadScreen(context, ['analytics', 'refusal'], (client) => [
      client.prefetchQuery(usageQuery(page)),
      client.prefetchQuery(qualityQuery(page)),
      client.prefetchQuery(accountsQuery(search)),
      client.prefetchQuery(statisticsQuery),
    ]);
  },
  component: lazyRouteComponent(() => import('./analytics-screen.tsx'), 'AnalyticsScreen'),
});
