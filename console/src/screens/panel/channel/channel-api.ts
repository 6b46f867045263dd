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
  /** Single channels, or channels grouped by tag. */
  view: 'list' | 'tags';
  tags: string;
  /** The channel whose read view is open; 0: none. */
  show: number;
  /** The form: `new`, or the id of the edited channel. */
  edit: string;
  /** `test`: asks whether to test all channels. */
  ask: string;
  /** The channel that a new one is copied from. */
  copy: number;
  /** The tag whose channels are edited together. */
  kin: string;
  /** Whether the routing drawer is open, and for which call. */
  why: 0 | 1;
  why_model: string;
  why_group: string;
  /** Comma-separated `callNeeds`. */
  why_needs: string;
  /** The session whose place is asked for, and its token; 0: none. */
  why_session: string;
  why_token: number;
  /** The API that the client calls; empty: Chat Completions. */
  why_api: string;
  why_tokens: number;
}

/** Features that a call may require of a channel. */
export const callNeeds = ['stream', 'tools', 'images'] as const;
/** APIs besides Chat Completions. */
export const callApis = ['responses', 'messages', 'gemini'] as const;
export type CallApi = (typeof callApis)[number];
export type CallNeed = (typeof callNeeds)[number];

/** The part of the search that the list query takes. */
export function queryOf(search: ChannelSearch): ChannelQuery {
  const { page, size, order } = search;
  return { page, size, order, ...narrowingOf(search) };
}

export const isNarrowed = (query: ChannelQuery): boolean => isFiltered(noChannelFilters, query);

/** Health and last errors change without user action. */
const refetchInterval = 60_000;

export const channelPage = (query: ChannelQuery) => ({
  ...apiQuery(channelApi.list, { query }),
  placeholderData: keepPreviousData,
  refetchInterval,
  // The table shows the error and keeps the old rows.
  meta: { quiet: true },
});

export const channelHealth = { ...apiQuery(channelApi.health), refetchInterval, meta: { quiet: true } };
export const channelJobs = { ...apiQuery(channelJobApi.list), meta: { quiet: true } };
export const tagNames = { ...apiQuery(channelTagApi.names), staleTime: 60_000, meta: { quiet: true } };
export const groupSymbols = { ...apiQuery(userGroupApi.symbols), staleTime: 60_000 };
