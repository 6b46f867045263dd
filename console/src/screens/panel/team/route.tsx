import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { teamsQuery, type TeamSearch } from './team-api.ts';

export const Route = createFileRoute('/panel/team')({
  staticData: { menu: { group: 'manage', order: 55, titleKey: 'team', hidden: true }, isNarrow: true },
  ...searchOf<TeamSearch>({ team: 0, invite: '' }),
  loader: ({ context }) => loadScreen(context, ['team'], (client) => [client.prefetchQuery(teamsQuery)]),
  component: lazyRouteComponent(() => import('./team-screen.tsx'), 'TeamScreen'),
});
