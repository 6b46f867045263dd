import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { statusQuery } from '#api/status-page.ts';

export const Route = createFileRoute('/_public/status')({
  loader: ({ context }) => loadScreen(context, ['status'], (client) => [client.prefetchQuery(statusQuery)]),
  component: lazyRouteComponent(() => import('./status-screen.tsx'), 'StatusScreen'),
});
