import {
  channelApi,
  channelBatchApi,
  channelJobApi,
  channelKeyApi,
  channelTagApi,
  priceApi,
  routeApi,
  splitList,
  userGroupApi,
  type Channel,
  type Page,
} from '@relay-hub/contract';
import { keepPreviousData, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import type { SearchFor } from '#api/search-of.ts';
import { isSet } from '#shared/filter.ts';
import type { Narrowing } from './channel-filters.ts';

export type ChannelQuery = Pick<SearchFor<typeof channelApi.list>, 'page' | 'size' | 'order'> & Narrowing;

/** The filters of a query, and nothing else of it. */
export function narrowingOf(query: Narrowing): Narrowing {
  const { keyword, status, type, group, tag, filter_tag, trouble, models, test_model, other, key } = query;
  return { keyword, status, type, group, tag, filter_tag, trouble, models, test_model, other, key };
}

export interface ChannelSearch extends ChannelQuery {
  /** The channels one by one, or by their tags. */
  view: 'list' | 'tags';
  /** How tags are sorted. */
  tags: string;
  /** The form: `new`, or the id of the channel that is edited. */
  edit: string;
  /** The channel that a new one starts from. */
  copy: number;
  /** The tag whose channels are edited together. */
  kin: string;
  /** Whether it is explained which channel a call would use, and for which call. */
  why: 0 | 1;
  why_model: string;
  why_group: string;
  /** Of `callNeeds`, with commas. */
  why_needs: string;
}

/** What a call may ask of a channel beside an answer. */
export const callNeeds = ['stream', 'tools', 'images'] as const;
export type CallNeed = (typeof callNeeds)[number];

/** What of the address the list is asked with. */
export function queryOf(search: ChannelSearch): ChannelQuery {
  const { page, size, order } = search;
  return { page, size, order, ...narrowingOf(search) };
}

/** Whether the list shows less than all channels. */
export const isNarrowed = (query: ChannelQuery): boolean => Object.values(narrowingOf(query)).some(isSet);

/** Health and last errors change by themselves. */
const refetchInterval = 60_000;

export const channelPage = (query: ChannelQuery) => ({
  ...apiQuery(channelApi.list, { query }),
  placeholderData: keepPreviousData,
  refetchInterval,
  // The table shows what went wrong, and keeps the old rows.
  meta: { quiet: true },
});

export const tagPage = ({ page, size, tags, keyword }: ChannelSearch) => ({
  ...apiQuery(channelTagApi.list, { query: { page, size, order: tags, keyword } }),
  placeholderData: keepPreviousData,
  meta: { quiet: true },
});

export const channelTypes = { ...apiQuery(channelApi.types), staleTime: 10 * 60_000 };
export const channelHealth = { ...apiQuery(channelApi.health), refetchInterval, meta: { quiet: true } };
export const channelJobs = { ...apiQuery(channelJobApi.list), meta: { quiet: true } };
export const tagNames = { ...apiQuery(channelTagApi.names), staleTime: 60_000, meta: { quiet: true } };
export const groupSymbols = { ...apiQuery(userGroupApi.symbols), staleTime: 60_000 };
export const modelPrices = { ...apiQuery(priceApi.list), staleTime: 60_000 };

/** The keys of a channel, for its form; the form shows what went wrong. */
export const channelKeys = (id: number) => ({
  ...apiQuery(channelKeyApi.list, { params: { id } }),
  meta: { quiet: true },
});

export const knownNames = { ...apiQuery(priceApi.names), staleTime: 60_000, meta: { quiet: true } };

/** Which channel a call would use now; what has just failed changes it. */
export const routeOf = ({ why_model, why_group, why_needs }: ChannelSearch) => ({
  ...apiQuery(routeApi.explain, {
    body: {
      model: why_model,
      group: why_group,
      ...Object.fromEntries(splitList(why_needs).map((need) => [need, true])),
    },
  }),
  enabled: why_model !== '',
  placeholderData: keepPreviousData,
  meta: { quiet: true },
});

/** What all channels of a tag start from in their form. */
export const tagRecord = (tag: string) => ({
  ...apiQuery(channelTagApi.get, { params: { tag } }),
  meta: { quiet: true },
});

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
  );

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

/** Names of channels that lists of the cache hold, so that a new one is not called the same. */
export function listedNames(client: QueryClient): string[] {
  const lists = client.getQueriesData<Page<Channel>>({ queryKey: [channelApi.list.path] });
  return lists.flatMap(([, page]) => page?.data.map(({ name }) => name) ?? []);
}

/** Puts back what was before a change; how many channels are as they were, and how many had been changed again. */
export const undoChange = (undo: string) => call(channelBatchApi.undo, { body: { undo } });
