import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { inviterPage, type InviterQuery } from './inviter-api.ts';

export const Route = createFileRoute('/panel/user/inviters')({
  staticData: {
    menu: { group: 'manage', order: 11, titleKey: 'user', audience: 'admin', hidden: true },
    page: 'inviters',
  },
  ...searchOf<InviterQuery>({ page: 1, size: 30, order: '-invited', keyword: '', suspicious: 0 }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    loadScreen(context, ['inviter'], (client) => [client.prefetchQuery(inviterPage(deps))]),
  component: lazyRouteComponent(() => import('./inviter-screen.tsx'), 'InviterScreen'),
});
