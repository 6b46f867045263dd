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

/** Shows a change of a channel in every list of the cache, before or without asking the server again. */
export function patchChannel(client: QueryClient, id: number, change: Partial<Channel>): void {
  client.setQueriesData<Page<Channel>>(
    { queryKey: [channelApi.list.path] },
    (page) => page && { ...page, data: page.data.map((row) => (row.id === id ? { ...row, ...change } : row)) },
  );
}

/** Fetches again whatever a change of channels shows in: lists, records, and the models that callers can have. */
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
    // The menu counts those in trouble.
    userApi.self,
  );

/** A channel as some list of the cache has it, so that its form is there at once. */
export function listedChannel(client: QueryClient, id: number): Channel | undefined {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data ?? []).find((row) => row.id === id);
}

/** Names of channels that lists of the cache hold, so that a new one is not called the same. */
export function listedNames(client: QueryClient): string[] {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data.map(({ name }) => name) ?? []);
}
