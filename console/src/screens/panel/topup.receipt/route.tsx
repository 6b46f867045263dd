import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { receiptQuery, type ReceiptSearch } from './receipt-api.ts';

export const Route = createFileRoute('/panel/topup/receipt')({
  staticData: { page: 'receipt' },
  ...searchOf<ReceiptSearch>({ order: '', id: 0 }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    loadScreen(context, ['receipt'], (client) => [client.prefetchQuery(receiptQuery(deps))]),
  component: lazyRouteComponent(() => import('./receipt-screen.tsx'), 'ReceiptScreen'),
});
