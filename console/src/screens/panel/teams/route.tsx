import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { teamsPage, type TeamsSearch } from './teams-api.ts';

export const Route = createFileRoute('/panel/teams')({
  staticData: { menu: { group: 'manage', parent: 'operation', order: 15, titleKey: 'teams', audience: 'admin' } },
  ...searchOf<TeamsSearch>({ page: 1, size: 30, order: '-id', keyword: '' }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => loadScreen(context, ['team'], (client) => [client.prefetchQuery(teamsPage(deps))]),
  component: lazyRouteComponent(() => import('./teams-screen.tsx'), 'TeamsScreen'),
});
