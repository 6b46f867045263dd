import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';

export const Route = createFileRoute('/panel/dashboard')({
  staticData: { menu: { group: 'overview', order: 10, titleKey: 'dashboard' } },
  loader: ({ context }) => loadScreen(context, ['dashboard']),
  component: lazyRouteComponent(() => import('./dashboard-screen.tsx'), 'DashboardScreen'),
});
