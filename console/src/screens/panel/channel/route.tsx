import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { unpricedModels } from '#api/unpriced.ts';
import { channelTypes } from '#api/channel-types.ts';
import {
  channelHealth,
  channelJobs,
  channelPage,
  type ChannelSearch,
  groupSymbols,
  queryOf,
  tagNames,
} from './channel-api.ts';
import { tagPage } from './channel-more-api.ts';
import { noChannelFilters } from './list/channel-filters.ts';

const channelDefaults: ChannelSearch = {
  page: 1,
  size: 30,
  order: 'trouble',
  ...noChannelFilters,
  view: 'list',
  tags: 'tag',
  show: 0,
  edit: '',
  ask: '',
  copy: 0,
  kin: '',
  why: 0,
  why_model: '',
  why_group: '',
  why_needs: '',
  why_session: '',
  why_token: 0,
  why_api: '',
  why_tokens: 0,
};

export const Route = createFileRoute('/panel/channel')({
  staticData: { menu: { group: 'manage', order: 20, titleKey: 'channel', audience: 'admin' } },
  ...searchOf(channelDefaults),
  // Opening a drawer does not reload the list.
  loaderDeps: ({ search }) => ({
    ...search,
    show: 0,
    edit: '',
    ask: '',
    copy: 0,
    kin: '',
    why: 0 as const,
    why_model: '',
    why_group: '',
    why_needs: '',
    why_session: '',
    why_token: 0,
    why_api: '',
    why_tokens: 0,
  }),
  loader: ({ context, deps }) =>
    loadScreen(context, ['channel', 'usageCheck'], (client) => [
      deps.view === 'tags' ? client.prefetchQuery(tagPage(deps)) : client.prefetchQuery(channelPage(queryOf(deps))),
      client.prefetchQuery(channelTypes),
      // Its notice is above the list, which would move when it came later.
      client.prefetchQuery(unpricedModels),
      client.prefetchQuery(channelHealth),
      client.prefetchQuery(channelJobs),
      client.prefetchQuery(groupSymbols),
      client.prefetchQuery(tagNames),
    ]),
  component: lazyRouteComponent(() => import('./channel-screen.tsx'), 'ChannelScreen'),
});
