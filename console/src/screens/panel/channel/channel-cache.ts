import {
  channelApi,
  channelKeyApi,
  channelTagApi,
  priceApi,
  routeApi,
  userApi,
  type Channel,
  type Page,
} from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '#api/api-query.ts';

/** Patches a channel in every cached list, without waiting for the server. */
export function patchChannel(client: QueryClient, id: number, change: Partial<Channel>): void {
  client.setQueriesData<Page<Channel>>(
    { queryKey: [channelApi.list.path] },
    (page) => page && { ...page, data: page.data.map((row) => (row.id === id ? { ...row, ...change } : row)) },
  );
}

/** Refetches everything that channels affect: lists, records, and the models offered to callers. */
export const refreshChannels = (client: QueryClient): Promise<void> =>
  refresh(
    client,
    channelApi.list,
    channelApi.get,
    channelApi.health,
    channelTagApi.list,
    channelTagApi.names,
    channelTagApi.get,
    channelKeyApi.list,
    priceApi.available,
    priceApi.names,
    routeApi.explain,
    // The menu counts failing channels.
    userApi.self,
  );

/** A channel from any cached list, so that its form opens at once. */
export function listedChannel(client: QueryClient, id: number): Channel | undefined {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data ?? []).find((row) => row.id === id);
}

/** Names of all cached channels, to suggest an unused one. */
export function listedNames(client: QueryClient): string[] {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data.map(({ name }) => name) ?? []);
}
