import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { allGroupsQuery } from '#api/all-groups.ts';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { noTeamFilters, teamsPage, type TeamsSearch } from './teams-api.ts';

export const Route = createFileRoute('/panel/teams')({
  staticData: { menu: { group: 'manage', parent: 'operation', order: 15, titleKey: 'teams', audience: 'admin' } },
  ...searchOf<TeamsSearch>({ page: 1, size: 30, order: '-id', ...noTeamFilters, show: 0, adjust: 0 }),
  loaderDeps: ({ search: { show: _show, adjust: _adjust, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['team', 'token'], (client) => [
      client.prefetchQuery(teamsPage(deps)),
      client.prefetchQuery(allGroupsQuery),
    ]),
  component: lazyRouteComponent(() => import('./teams-screen.tsx'), 'TeamsScreen'),
});
