import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { auditPage } from './audit-api.ts';
import { auditDefaults } from './audit-defaults.ts';

export const Route = createFileRoute('/panel/audit')({
  staticData: { menu: { group: 'manage', order: 80, titleKey: 'audit', audience: 'admin' } },
  ...searchOf(auditDefaults),
  // Opening an entry does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, id: 0 }),
  loader: ({ context, deps: search }) =>
    loadScreen(context, ['audit', 'settingNames'], (client) => [client.prefetchQuery(auditPage(search))]),
  component: lazyRouteComponent(() => import('./audit-screen.tsx'), 'AuditScreen'),
});
