import type { tokenApi } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf, type SearchFor } from '#api/search-of.ts';
import { tokenPage } from './token-api.ts';

/**
 * `edit` is `new` or the id of the token whose form is open; `connect` the tool whose recipe is open (`any` for the
 * first one), and `token` the token in it.
 */
type TokenSearch = SearchFor<typeof tokenApi.list> & { edit: string; connect: string; token: number };

export const Route = createFileRoute('/panel/token')({
  staticData: { menu: { group: 'manage', order: 50, titleKey: 'token' } },
  ...searchOf<TokenSearch>({
    page: 1,
    size: 10,
    order: '',
    keyword: '',
    tag: '',
    status: 0,
    edit: '',
    connect: '',
    token: 0,
  }),
  loaderDeps: ({ search: { page, size, order, keyword, tag, status } }) => ({
    page,
    size,
    order,
    keyword,
    tag,
    status,
  }),
  loader: ({ context, deps }) => loadScreen(context, ['token'], (client) => [client.prefetchQuery(tokenPage(deps))]),
  component: lazyRouteComponent(() => import('./token-screen.tsx'), 'TokenScreen'),
});
