import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { userGroupPage, type UserGroupSearch } from './user-group-api.ts';

export const Route = createFileRoute('/panel/user_group')({
  staticData: {
    menu: { group: 'manage', parent: 'operation', order: 10, titleKey: 'user_group', audience: 'admin' },
  },
  ...searchOf<UserGroupSearch>({ page: 1, size: 30, order: 'id', Name: '', enable: '', edit: '' }),
  loaderDeps: ({ search: { edit: _edit, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['userGroup'], (client) => [client.prefetchQuery(userGroupPage(deps))]),
  component: lazyRouteComponent(() => import('./user-group-screen.tsx'), 'UserGroupScreen'),
});
