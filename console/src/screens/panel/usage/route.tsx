import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { qualityQuery, shownOf, usageQuery } from '#screens/panel/analytics/analytics-api.ts';
import { analyticsDefaults } from '#screens/panel/analytics/analytics-defaults.ts';

/** Analytics of the own usage, for every user. */
export const Route = createFileRoute('/panel/usage')({
  staticData: { menu: { group: 'usage', order: 15, titleKey: 'usage' }, isCharts: true },
  ...searchOf(analyticsDefaults),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: search }) => {
    const page = shownOf(search, false);
    return loadScreen(context, ['analytics', 'refusal'], (client) => [
      client.prefetchQuery(usageQuery(page)),
      client.prefetchQuery(qualityQuery(page)),
    ]);
  },
  component: lazyRouteComponent(() => import('./own-usage-screen.tsx'), 'OwnUsageScreen'),
});
