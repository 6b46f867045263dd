import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { redemptionPage, redemptionTotals } from './redemption-api.ts';
import { redemptionDefaults } from './redemption-defaults.ts';

export const Route = createFileRoute('/panel/redemption')({
  staticData: {
    menu: { group: 'manage', order: 10, titleKey: 'redemption', audience: 'admin', parent: 'paySetting' },
  },
  ...searchOf(redemptionDefaults),
  // Opening the form does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, edit: '' }),
  loader: ({ context, deps: search }) =>
    loadScreen(context, ['redemption'], (client) => [
      client.prefetchQuery(redemptionPage(search)),
      client.prefetchQuery(redemptionTotals(search)),
    ]),
  component: lazyRouteComponent(() => import('./redemption-screen.tsx'), 'RedemptionScreen'),
});
