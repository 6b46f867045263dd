import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { planList } from '#domain/plan/plan-api.ts';
import type { PlanSearch } from './plan-api.ts';

export const Route = createFileRoute('/panel/plan_sale')({
  staticData: {
    menu: { group: 'manage', order: 15, titleKey: 'plans', audience: 'admin', parent: 'paySetting' },
  },
  ...searchOf<PlanSearch>({ keyword: '', edit: '', show: 0 }),
  loader: ({ context }) => loadScreen(context, ['plan', 'planAdmin'], (client) => [client.prefetchQuery(planList)]),
  component: lazyRouteComponent(() => import('./plan-screen.tsx'), 'PlanScreen'),
});
