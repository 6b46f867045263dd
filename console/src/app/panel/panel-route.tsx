import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { selfQuery } from '#api/self.ts';
import { guard } from './guard.ts';

export const Route = createFileRoute('/panel')({
  beforeLoad: guard,
  loader: ({ context: { queryClient } }) =>
    loadScreen({ queryClient, allowed: true }, ['app'], (client) => [client.prefetchQuery(selfQuery)]),
  component: lazyRouteComponent(() => import('./panel-layout.tsx'), 'PanelLayout'),
  notFoundComponent: lazyRouteComponent(() => import('../not-found-page.tsx'), 'NotFoundPage'),
});
