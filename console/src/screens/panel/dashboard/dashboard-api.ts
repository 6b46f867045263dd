import {
  channelApi,
  dashboardApi,
  logApi,
  logType,
  priceApi,
  tokenApi,
  type Channel,
  type Page,
} from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';
import { allChannelsQuery } from '#api/all-channels.ts';
import { selfQuery } from '#api/self.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import type { Scope } from './scope.ts';

/** Each card shows its own failure. */
export const inPlace = { meta: { quiet: true } } as const;

/** Refetches at an interval; after a failed load only Retry does, or the card would flicker. */
export const every = (ms: number) => ({
  refetchInterval: ({ state }: { state: { data: unknown } }) => state.data !== undefined && ms,
});

export const accountQuery = { ...selfQuery, ...inPlace, ...every(60_000) };

export const usageQuery = (scope: Scope) => ({
  ...apiQuery(scope === 'hub' ? dashboardApi.hub : dashboardApi.own, { query: { time_zone: localTimeZone() } }),
  ...inPlace,
  ...every(60_000),
});

/** As many as a high window shows. */
export const recentCount = 10;

/** The newest calls, polled so that a call appears soon after it was made. */
export const recentQuery = (scope: Scope) => ({
  ...apiQuery(scope === 'hub' ? logApi.list : logApi.ownList, {
    query: { log_type: logType.consume, size: recentCount, order: '-id' },
  }),
  ...inPlace,
  ...every(5000),
});

export const availableQuery = { ...apiQuery(priceApi.available), ...inPlace, ...every(60_000), staleTime: 60_000 };

/** Every channel, last tested first; any of them may be failing. */
export const channelsQuery = {
  ...allChannelsQuery,
  ...every(60_000),
  select: ({ data }: Page<Channel>): Channel[] => data.toSorted((a, b) => b.test_time - a.test_time || a.id - b.id),
};

export const healthQuery = { ...apiQuery(channelApi.health), ...inPlace, ...every(60_000) };

export const anyTokenQuery = { ...apiQuery(tokenApi.list, { query: { size: 1 } }), ...inPlace };
