import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { allGroupsQuery } from '#api/all-groups.ts';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { userPage, type UserSearch } from './user-api.ts';

export const Route = createFileRoute('/panel/user')({
  staticData: { menu: { group: 'manage', order: 10, titleKey: 'user', audience: 'admin' } },
  ...searchOf<UserSearch>({
    page: 1,
    size: 30,
    order: '',
    keyword: '',
    role: 0,
    status: 0,
    group: '',
    inviter: 0,
    deleted: 0,
    show: 0,
    edit: '',
    adjust: 0,
  }),
  loaderDeps: ({ search: { show: _show, edit: _edit, adjust: _adjust, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['user', 'elsewhere'], (client) => [
      client.prefetchQuery(userPage(deps)),
      client.prefetchQuery(allGroupsQuery),
    ]),
  component: lazyRouteComponent(() => import('./user-screen.tsx'), 'UserScreen'),
});
