import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, lazyRouteComponent } from '@tanstack/react-router';
import { Root } from './root.tsx';

interface RouterContext {
  queryClient: QueryClient;
  allowed: boolean;
}

export const Route = createRootRouteWithContext<RouterContext>()({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('./public/public-not-found.tsx'), 'PublicNotFound'),
});
