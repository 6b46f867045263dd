import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { aboutQuery } from './about-query.ts';

export const Route = createFileRoute('/_public/about')({
  loader: ({ context }) => loadScreen(context, ['about'], (client) => [client.prefetchQuery(aboutQuery)]),
  component: lazyRouteComponent(() => import('./about-screen.tsx'), 'AboutScreen'),
});
