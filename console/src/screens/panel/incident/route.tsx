import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { waysQuery } from '#domain/ways/way-api.ts';
import { incidentMonths, incidentPage } from './incident-api.ts';

/** `show`: the incident that a message links to; 0: none. */
export interface IncidentSearch {
  page: number;
  show: number;
}

export const Route = createFileRoute('/panel/incident')({
  staticData: { menu: { group: 'manage', order: 15, titleKey: 'incident', audience: 'admin' }, isNarrow: true },
  ...searchOf<IncidentSearch>({ page: 1, show: 0 }),
  loaderDeps: ({ search: { page } }) => ({ page }),
  loader: ({ context, deps: { page } }) =>
    loadScreen(context, ['incident', 'way'], (client) => [
      client.prefetchQuery(incidentPage(page)),
      client.prefetchQuery(waysQuery),
      client.prefetchQuery(incidentMonths),
    ]),
  component: lazyRouteComponent(() => import('./incident-screen.tsx'), 'IncidentScreen'),
});
