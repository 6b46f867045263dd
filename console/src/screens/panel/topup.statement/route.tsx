import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { statementQuery, type StatementSearch } from './statement-api.ts';

export const Route = createFileRoute('/panel/topup/statement')({
  staticData: { page: 'statement', isNarrow: true },
  ...searchOf<StatementSearch>({ month: '', username: '' }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    loadScreen(context, ['statement', 'ledger'], (client) => [client.prefetchQuery(statementQuery(deps))]),
  component: lazyRouteComponent(() => import('./statement-screen.tsx'), 'StatementScreen'),
});
