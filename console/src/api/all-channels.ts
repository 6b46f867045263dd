import { channelApi, type Channel, type Page } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { allPages } from './all-pages.ts';
import { call } from './call.ts';
import type { SearchFor } from './search-of.ts';

/** Every channel that matches a search. */
export const fetchAllChannels = (
  search: Partial<SearchFor<typeof channelApi.list>> = {},
  signal?: AbortSignal,
): Promise<Channel[]> =>
  allPages((part) => call(channelApi.list, { query: { ...search, order: '', ...part }, signal }));

/** All channels, for figures over the whole site. Shaped as a page, since optimistic updates patch every list query. */
export const allChannelsQuery = queryOptions({
  queryKey: [channelApi.list.path, 'every'],
  queryFn: async ({ signal }): Promise<Page<Channel>> => {
    const data = await fetchAllChannels({}, signal);
    return { data, page: 1, size: data.length, total_count: data.length };
  },
  staleTime: 30_000,
  meta: { quiet: true },
});
