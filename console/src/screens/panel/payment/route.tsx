import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { gatewayList, orderPage, orderTotals } from './payment-api.ts';
import { paymentDefaults, paymentTabs } from './payment-search.ts';

const { validateSearch, ...search } = searchOf(paymentDefaults);

export const Route = createFileRoute('/panel/payment')({
  staticData: { menu: { group: 'manage', order: 20, titleKey: 'payment', audience: 'admin', parent: 'paySetting' } },
  ...search,
  validateSearch: (typed: Parameters<typeof validateSearch>[0]) => {
    const read = validateSearch(typed);
    return { ...read, tab: paymentTabs.find((tab) => tab === read.tab) ?? 'orders' };
  },
  // Opening a drawer does not reload the list.
  loaderDeps: ({ search: { id: _id, edit: _edit, q: _q, type: _type, ...deps } }) => deps,
  loader: ({ context, deps: { tab, ...orders } }) =>
    loadScreen(context, ['payment'], (client) => [
      client.prefetchQuery(gatewayList),
      ...(tab === 'orders' ? [client.prefetchQuery(orderPage(orders)), client.prefetchQuery(orderTotals(orders))] : []),
    ]),
  component: lazyRouteComponent(() => import('./payment-screen.tsx'), 'PaymentScreen'),
});
