import { channelApi, type Channel, type Page } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { SearchFor } from './search-of.ts';

const largestPage = 100;

/** Every channel that fits a search, page by page. */
export async function listAllChannels(
  search: Partial<SearchFor<typeof channelApi.list>> = {},
  signal?: AbortSignal,
): Promise<Page<Channel>> {
  const data: Channel[] = [];
  for (let page = 1; ; page++) {
    const part = await call(channelApi.list, { query: { ...search, order: '', page, size: largestPage }, signal });
    data.push(...part.data);
    if (part.data.length < largestPage || data.length >= part.total_count) return { ...part, page: 1, data };
  }
}

/** All channels there are, for what looks at the whole: trouble, tags in use, models that would be left without one. */
export const everyChannel = queryOptions({
  queryKey: [channelApi.list.path, 'every'],
  queryFn: ({ signal }) => listAllChannels({}, signal),
  staleTime: 30_000,
  meta: { quiet: true },
});
