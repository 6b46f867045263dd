import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { availableQuery } from '#api/available.ts';
import { loadScreen } from '#api/load-screen.ts';
import { guard, type GuardOptions } from '#app/panel/guard.ts';

export const Route = createFileRoute('/_public/playground')({
  // Its calls are charged to an account. For the cast see the route of the console.
  beforeLoad: (options): { allowed: boolean } => guard(options as unknown as GuardOptions),
  loader: ({ context }) => loadScreen(context, ['playground'], (client) => [client.prefetchQuery(availableQuery)]),
  component: lazyRouteComponent(() => import('#domain/playground/playground-pages.tsx'), 'PublicPlayground'),
});
