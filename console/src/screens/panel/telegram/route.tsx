import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { botMenuPage, botStatusQuery, type BotMenuSearch } from './bot-api.ts';

export const Route = createFileRoute('/panel/telegram')({
  staticData: {
    menu: { group: 'manage', parent: 'operation', order: 30, titleKey: 'telegram', audience: 'root' },
  },
  ...searchOf<BotMenuSearch>({ page: 1, size: 30, order: 'id', keyword: '', edit: '' }),
  loaderDeps: ({ search: { edit: _edit, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['telegram'], (client) => {
      // Telegram may be slow; the list does not wait for it.
      void client.prefetchQuery(botStatusQuery);
      return [client.prefetchQuery(botMenuPage(deps))];
    }),
  component: lazyRouteComponent(() => import('./bot-menu-screen.tsx'), 'BotMenuScreen'),
});
