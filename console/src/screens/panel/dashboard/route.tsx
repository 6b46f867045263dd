import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '#api/search-of.ts';
import { loadDashboard } from './load-dashboard.ts';

export const Route = createFileRoute('/panel/dashboard')({
  staticData: { menu: { group: 'overview', order: 10, titleKey: 'dashboard' }, isCharts: true },
  ...searchOf<{ view: string }>({ view: 'overview' }),
  loader: ({ context }) => loadDashboard(context),
  component: lazyRouteComponent(() => import('./dashboard-screen.tsx'), 'DashboardScreen'),
});
