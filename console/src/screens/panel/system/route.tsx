import { systemApi } from '@relay-hub/contract';
import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery } from '#api/api-query.ts';
import { loadScreen } from '#api/load-screen.ts';

/** Nodes report as often. */
const everyMs = 15_000;

export const systemState = { ...apiQuery(systemApi.get), refetchInterval: everyMs, meta: { quiet: true } };

export const Route = createFileRoute('/panel/system')({
  staticData: { menu: { group: 'manage', parent: 'operation', order: 70, titleKey: 'system', audience: 'admin' } },
  loader: ({ context }) => loadScreen(context, ['system'], (client) => [client.prefetchQuery(systemState)]),
  component: lazyRouteComponent(() => import('./system-screen.tsx'), 'SystemScreen'),
});
