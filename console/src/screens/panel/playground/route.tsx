import { playgroundRoles } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { availableQuery } from '#api/available.ts';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';

interface PlaygroundSearch {
  /** Id of the log row whose request is tried again; 0: none. */
  request: number;
  dialect: string;
  model: string;
}

export const Route = createFileRoute('/panel/playground')({
  staticData: { menu: { group: 'overview', order: 30, titleKey: 'playground', roles: playgroundRoles } },
  ...searchOf<PlaygroundSearch>({ request: 0, dialect: '', model: '' }),
  loader: ({ context }) => loadScreen(context, ['playground'], (client) => [client.prefetchQuery(availableQuery)]),
  component: lazyRouteComponent(() => import('#domain/playground/playground-pages.tsx'), 'PanelPlayground'),
});
