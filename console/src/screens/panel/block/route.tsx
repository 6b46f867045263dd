import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { blockPage, type BlockSearch } from './block-api.ts';

export const Route = createFileRoute('/panel/block')({
  staticData: { menu: { group: 'manage', parent: 'operation', order: 50, titleKey: 'block', audience: 'admin' } },
  ...searchOf<BlockSearch>({ page: 1, size: 30, order: '-id', keyword: '', edit: '', network: '', reason: '' }),
  loaderDeps: ({ search: { edit: _edit, network: _network, reason: _reason, ...query } }) => query,
  loader: ({ context, deps }) => loadScreen(context, ['block'], (client) => [client.prefetchQuery(blockPage(deps))]),
  component: lazyRouteComponent(() => import('./block-screen.tsx'), 'BlockScreen'),
});
