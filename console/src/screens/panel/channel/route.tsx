import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { channelHealth, channelPage, channelTypes, type ChannelSearch } from './channel-api.ts';

export const Route = createFileRoute('/panel/channel')({
  staticData: { menu: { group: 'manage', order: 20, titleKey: 'channel', audience: 'admin' } },
  ...searchOf<ChannelSearch>({
    page: 1,
    size: 30,
    order: '',
    keyword: '',
    status: 0,
    type: 0,
    group: '',
    tag: '',
    edit: '',
    copy: 0,
  }),
  loaderDeps: ({ search: { edit: _edit, copy: _copy, ...query } }) => query,
  loader: ({ context, deps }) =>
    loadScreen(context, ['channel'], (client) => [
      client.prefetchQuery(channelPage(deps)),
      client.prefetchQuery(channelTypes),
      client.prefetchQuery(channelHealth),
    ]),
  component: lazyRouteComponent(() => import('./channel-screen.tsx'), 'ChannelScreen'),
});
