import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { virtualModelPage, type VirtualModelSearch } from './virtual-model-api.ts';

export const Route = createFileRoute('/panel/virtual_model')({
  staticData: {
    menu: { group: 'manage', parent: 'operation', order: 25, titleKey: 'virtual_model', audience: 'admin' },
  },
  ...searchOf<VirtualModelSearch>({ page: 1, size: 30, order: 'name', keyword: '', edit: '' }),
  loaderDeps: ({ search: { edit: _edit, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['virtualModel'], (client) => [client.prefetchQuery(virtualModelPage(deps))]),
  component: lazyRouteComponent(() => import('./virtual-model-screen.tsx'), 'VirtualModelScreen'),
});
