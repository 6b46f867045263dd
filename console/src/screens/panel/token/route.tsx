import type { tokenApi } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf, type SearchFor } from '#api/search-of.ts';
import { tokenPage } from './token-api.ts';

/**
 * `show` is the id of the token whose read view is open, `edit` `new` or the id of the token whose form is open; `connect` the tool whose recipe is open (`any` for the
 * first one), and `token` the token in it. `scope` is `all` for administrators who see the tokens of all accounts,
 * of which `user_id` is the owner.
 */
type TokenSearch = SearchFor<typeof tokenApi.list> & {
  show: number;
  edit: string;
  connect: string;
  token: number;
  scope: string;
  user_id: number;
};

export const Route = createFileRoute('/panel/token')({
  staticData: { menu: { group: 'manage', order: 50, titleKey: 'token' } },
  ...searchOf<TokenSearch>({
    page: 1,
    size: 15,
    order: '',
    keyword: '',
    tag: '',
    status: 0,
    member_id: 0,
    show: 0,
    edit: '',
    connect: '',
    token: 0,
    scope: '',
    user_id: 0,
  }),
  loaderDeps: ({ search: { page, size, order, keyword, tag, status, member_id, scope } }) => ({
    page,
    size,
    order,
    keyword,
    tag,
    status,
    member_id,
    scope,
  }),
  loader: ({ context, deps: { scope, ...search } }) =>
    loadScreen(context, ['token'], (client) => (scope === 'all' ? [] : [client.prefetchQuery(tokenPage(search))])),
  component: lazyRouteComponent(() => import('./token-screen.tsx'), 'TokenScreen'),
});
