import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { announcementPage, type AnnouncementSearch } from './announcement-api.ts';

export const Route = createFileRoute('/panel/announcement')({
  staticData: {
    menu: { group: 'manage', parent: 'operation', order: 60, titleKey: 'announcement', audience: 'admin' },
  },
  ...searchOf<AnnouncementSearch>({ page: 1, size: 30, order: '-id', edit: '' }),
  loaderDeps: ({ search: { edit: _edit, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['announcement'], (client) => [client.prefetchQuery(announcementPage(deps))]),
  component: lazyRouteComponent(() => import('./announcement-screen.tsx'), 'AnnouncementScreen'),
});
