import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { availableQuery } from '#api/available.ts';
import { loadScreen } from '#api/load-screen.ts';
import { guard } from '#app/panel/guard.ts';

export const Route = createFileRoute('/_public/playground')({
  // Its calls are charged to an account.
  beforeLoad: guard,
  loader: ({ context }) => loadScreen(context, ['playground'], (client) => [client.prefetchQuery(availableQuery)]),
  component: lazyRouteComponent(() => import('#domain/playground/playground-pages.tsx'), 'PublicPlayground'),
});
