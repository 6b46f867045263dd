import { channelApi, channelJobApi, channelTagApi, userGroupApi } from '@relay-hub/contract';
import { keepPreviousData } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';
import { filtersIn, isFiltered } from '#list/list-filters.ts';
import { noChannelFilters, type Narrowing } from '#screens/panel/channel/list/channel-filters.ts';

export type ChannelQuery = Pick<SearchFor<typeof channelApi.list>, 'page' | 'size' | 'order'> & Narrowing;

/** The filters of a query, and nothing else of it. */
export const narrowingOf = (query: Narrowing): Narrowing => filtersIn(noChannelFilters, query);

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
export const isNarrowed = (query: ChannelQuery): boolean => isFiltered(noChannelFilters, query);

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
export const channelJobs = { ...apiQuery(channelJobApi.list), meta: { quiet: true } };
export const tagNames = { ...apiQuery(channelTagApi.names), staleTime: 60_000, meta: { quiet: true } };
export const groupSymbols = { ...apiQuery(userGroupApi.symbols), staleTime: 60_000 };
