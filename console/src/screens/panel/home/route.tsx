import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadDashboard } from '#screens/panel/dashboard/load-dashboard.ts';

/** `/panel` shows the dashboard. */
export const Route = createFileRoute('/panel/')({
  staticData: { isCharts: true },
  loader: ({ context }) => loadDashboard(context),
  component: lazyRouteComponent(() => import('#screens/panel/dashboard/dashboard-screen.tsx'), 'DashboardScreen'),
});
