import { payerRoles } from '@relay-hub/contract';
import { isAdmin } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { currentUser } from '#api/session.ts';
import { ledgerPage, ledgerTotals } from './ledger-api.ts';
import { ledgerDefaults, type LedgerSearch } from './ledger-defaults.ts';
import { readerOf, whoseOf } from './ledger-search.ts';

export const Route = createFileRoute('/panel/ledger')({
  staticData: { menu: { group: 'billing', order: 15, titleKey: 'ledger', roles: payerRoles } },
  ...searchOf<LedgerSearch>(ledgerDefaults),
  // Opening the form does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, adjust: false }),
  loader: ({ context, deps: search }) => {
    const user = currentUser();
    const reader = readerOf(user, isAdmin(user?.role ?? 0));
    return loadScreen(context, ['ledger'], (client) => [
      client.prefetchQuery(ledgerPage(search, reader)),
      ...(whoseOf(search, reader) === '' ? [] : [client.prefetchQuery(ledgerTotals(search, reader))]),
    ]);
  },
  component: lazyRouteComponent(() => import('./ledger-screen.tsx'), 'LedgerScreen'),
});
