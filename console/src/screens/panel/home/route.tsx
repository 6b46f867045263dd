import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';

/** The panel's own address shows the dashboard. */
export const Route = createFileRoute('/panel/')({
  loader: ({ context }) => loadScreen(context, ['dashboard']),
  component: lazyRouteComponent(() => import('../dashboard/dashboard-screen.tsx'), 'DashboardScreen'),
});
