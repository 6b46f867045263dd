import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { guardPage, type GuardSearch } from './guard-api.ts';

export const Route = createFileRoute('/panel/guard')({
  staticData: { menu: { group: 'manage', parent: 'operation', order: 45, titleKey: 'guard', audience: 'admin' } },
  ...searchOf<GuardSearch>({ page: 1, size: 30, order: 'name', keyword: '', edit: '' }),
  loaderDeps: ({ search: { edit: _edit, ...query } }) => query,
  loader: ({ context, deps }) => loadScreen(context, ['guard'], (client) => [client.prefetchQuery(guardPage(deps))]),
  component: lazyRouteComponent(() => import('./guard-screen.tsx'), 'GuardScreen'),
});
