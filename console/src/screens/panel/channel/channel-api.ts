import { channelApi, priceApi, userGroupApi, type Channel, type Page } from '@relay-hub/contract';
import { keepPreviousData, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

export type ChannelQuery = Pick<
  SearchFor<typeof channelApi.list>,
  'page' | 'size' | 'order' | 'keyword' | 'status' | 'type' | 'group' | 'tag'
>;

export interface ChannelSearch extends ChannelQuery {
  /** The form: `new`, or the id of the channel that is edited. */
  edit: string;
  /** The channel that a new one starts from. */
  copy: number;
}

/** Health and last errors change by themselves. */
const refetchInterval = 60_000;

export const channelPage = (query: ChannelQuery) => ({
  ...apiQuery(channelApi.list, { query }),
  placeholderData: keepPreviousData,
  refetchInterval,
  // The table shows what went wrong, and keeps the old rows.
  meta: { quiet: true },
});

export const channelTypes = { ...apiQuery(channelApi.types), staleTime: 10 * 60_000 };
export const channelHealth = { ...apiQuery(channelApi.health), refetchInterval, meta: { quiet: true } };
export const groupSymbols = { ...apiQuery(userGroupApi.symbols), staleTime: 60_000 };
export const modelPrices = { ...apiQuery(priceApi.list), staleTime: 60_000 };

/** Shows a change of a channel in every list of the cache, before or without asking the server again. */
export function patchChannel(client: QueryClient, id: number, change: Partial<Channel>): void {
  client.setQueriesData<Page<Channel>>(
    { queryKey: [channelApi.list.path] },
    (page) => page && { ...page, data: page.data.map((row) => (row.id === id ? { ...row, ...change } : row)) },
  );
}

/** Fetches again whatever a change of channels shows in: lists, records, and the models that callers can have. */
export const refreshChannels = (client: QueryClient): Promise<void> =>
  refresh(client, channelApi.list, channelApi.get, channelApi.health, priceApi.available, priceApi.names);

/** One channel; the form shows what went wrong. */
export const channelRecord = (id: number) => ({
  ...apiQuery(channelApi.get, { params: { id } }),
  meta: { quiet: true },
});

/** A channel as some list of the cache has it, so that its form is there at once. */
export function listedChannel(client: QueryClient, id: number): Channel | undefined {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data ?? []).find((row) => row.id === id);
}
