import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { selfQuery } from '#api/self.ts';
import { guard, type Asked } from './guard.ts';

export const Route = createFileRoute('/panel')({
  // The type of `matches` contains this very route's, so TypeScript cannot infer one from the other.
  beforeLoad: (options): { allowed: boolean } => guard(options as unknown as Asked),
  loader: ({ context: { queryClient } }) =>
    loadScreen({ queryClient, allowed: true }, ['app'], (client) => [client.prefetchQuery(selfQuery)]),
  component: lazyRouteComponent(() => import('./panel-layout.tsx'), 'PanelLayout'),
  notFoundComponent: lazyRouteComponent(() => import('../not-found-page.tsx'), 'NotFoundPage'),
});
